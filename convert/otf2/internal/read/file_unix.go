//go:build unix

package read

import "syscall"

// fileLimit returns how many files the process may open. The Go runtime has raised it to the hard limit.
func fileLimit() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur)
}
