//go:build !amd64

package record

// counter is not used here.
func counter() uint64 { return 0 }

// steadyCounter reports that there is no counter that could be used.
func steadyCounter() bool { return false }
