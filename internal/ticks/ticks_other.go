//go:build !amd64

package ticks

// Counter is not used here.
func Counter() uint64 { return 0 }

// Steady reports that there is no counter that could be used.
func Steady() bool { return false }
