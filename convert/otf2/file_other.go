//go:build !unix

package otf2

// fileLimit returns how many files the process may open: C's libraries for Windows allow so many.
func fileLimit() uint64 { return 512 }
