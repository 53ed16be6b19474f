package pack

import "syscall"

// openPlain opens for reading without waiting for whoever is at the other end.
const openPlain = syscall.O_RDONLY | syscall.O_NONBLOCK
