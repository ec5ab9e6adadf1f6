//go:build unix

package otf2

import "syscall"

// fileLimit returns how many files the process may open. Go has raised it as far as it may.
func fileLimit() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur)
}
