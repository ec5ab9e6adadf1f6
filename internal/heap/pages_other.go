//go:build !linux

package heap

// preferHugePages does nothing where memory comes without advice.
func preferHugePages(int64) {}
