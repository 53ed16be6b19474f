//go:build !linux

package store

// diskWorkers is empty where file systems cannot be limited by a test.
var diskWorkers map[string]func(args []string) error
