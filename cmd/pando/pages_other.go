//go:build !linux

package main

// preferHugePages does nothing where memory comes without advice.
func preferHugePages(int64) {}
