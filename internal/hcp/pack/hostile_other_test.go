//go:build !unix

package pack_test

var hostileFiles []hostileFile
