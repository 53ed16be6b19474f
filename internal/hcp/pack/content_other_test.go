//go:build !unix

package pack

func platformCases() (none []struct {
	name   string
	make   func(dir string) error
	reason string
},
) {
	return none
}
