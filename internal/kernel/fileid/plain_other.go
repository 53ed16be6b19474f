//go:build !linux

package fileid

func plain(string) bool { return false }
