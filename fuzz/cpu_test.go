package fuzz

import (
	"syscall"
	"testing"
	"time"
)

// processorTime returns how much time the process has had on processors: what others do to the machine does not count.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
