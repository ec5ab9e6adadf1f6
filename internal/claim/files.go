package claim

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// files is the file system of the operating system.
type files struct{}

func (files) Claim(part, path string, discard bool) (Handle, error) {
	c, err := claimed(part, path, false, discard)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Rename gives a file its final name. Without replace that is a link, which fails if the name is taken, and the end of the old name. Where
// there are no links, as for folders, it is looked for first: other writers of ours are kept away by the lock.
func (files) Rename(from, to string, replace bool) error {
	if replace {
		return os.Rename(from, to)
	}
	err := os.Link(from, to)
	if err == nil {
		_ = os.Remove(from) // the file is complete; the next writer knows it by its other name
		return nil
	}
	if _, there := os.Lstat(to); errors.Is(err, fs.ErrExist) || there == nil {
		return &fs.PathError{Op: "rename to", Path: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

func (files) Remove(name string) error { return os.Remove(name) }

func (files) SyncFolder(name string) error {
	folder, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
