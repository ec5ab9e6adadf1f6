package sorting

import (
	"errors"
	"io/fs"
	"os"
)

// tempFile opens a file without a name that lasts as long as it is open, where the system has such files.
func tempFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "pando-sort-")
	if err == nil {
		_ = os.Remove(f.Name()) // where open files cannot be removed, close does it
	}
	return f, err
}

// remove closes a file of tempFile.
func remove(f *os.File) error {
	err := f.Close()
	if gone := os.Remove(f.Name()); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}
