// Command empty does nothing: the floor that a Go program cannot go below.
package main

func main() {}
