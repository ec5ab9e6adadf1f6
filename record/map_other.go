//go:build !linux

package record

import "errors"

// mapFile reports that recording is not supported here.
func mapFile(string, int) ([]byte, error) {
	return nil, errors.New("record: recording needs Linux")
}

// unmap has nothing to give back.
func unmap([]byte) error { return nil }
