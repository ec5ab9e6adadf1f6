//go:build !unix

package otf2

// fileLimit returns how many files the process may open. Nothing says that here: so many are few enough.
func fileLimit() uint64 { return 512 }
