package cli

import (
	"runtime"
	"slices"
	"strings"
)

// Env is a process environment as a value. The zero Env is empty.
type Env struct{ vars []string }

// NewEnv returns an environment of NAME=value strings. Of two entries with one
// name the later one counts, as in a process started with them.
func NewEnv(vars []string) Env { return Env{slices.Clone(vars)} }

// Lookup returns the value of a variable and whether it is set.
func (e Env) Lookup(name string) (string, bool) {
	for _, entry := range slices.Backward(e.vars) {
		key, value, found := strings.Cut(entry, "=")
		if found && sameName(key, name) {
			return value, true
		}
	}
	return "", false
}

// Get returns the value of a variable, empty when it is not set.
func (e Env) Get(name string) string {
	value, _ := e.Lookup(name)
	return value
}

// List returns the environment as NAME=value strings.
func (e Env) List() []string { return slices.Clone(e.vars) }

// With returns an environment in which name has the value.
func (e Env) With(name, value string) Env {
	return Env{append(slices.Clone(e.vars), name+"="+value)}
}

func sameName(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}
