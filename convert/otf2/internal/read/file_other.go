//go:build !unix

package read

// fileLimit returns how many files the process may open, which is unknown on this system: a guess that is low enough everywhere.
func fileLimit() uint64 { return 512 }
