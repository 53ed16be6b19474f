//go:build !linux && !darwin

package pack

import "os"

const openPlain = os.O_RDONLY
