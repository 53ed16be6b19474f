//go:build !unix

package main

// free returns 0: there is no memory file system to weigh.
func free(string) uint64 { return 0 }
