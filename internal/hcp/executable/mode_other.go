//go:build !unix

package executable

const (
	enforceModes = false
	openFlags    = 0
)
