package claim

import (
	"errors"
	"io/fs"
	"os"
)

// Check says early why Create or CreateFolder would fail because of another writer: before work is done that would be in vain. It changes
// nothing, and others may come in between.
func Check(path string, opt Options) error {
	c, err := look(path + partSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer c.Close()
	c.path = path
	locked := c.lock(lockShared, moments)
	switch {
	case locked == errLocked:
		return c.busy(true)
	case !c.Stands() || opt.Discard || c.completed() || c.empty():
		return nil // whose it is, or whether it is there at all, Create finds out
	}
	return c.leftover(locked)
}

// CheckFrom is Check for CreateFrom.
func CheckFrom(source fs.FileInfo, path string, opt Options) error {
	err := Check(path, opt)
	var left *LeftoverError
	if there, missing := os.Stat(path + partSuffix); errors.As(err, &left) && missing == nil && os.SameFile(source, there) {
		return nil
	}
	return err
}

// Writer returns the process that is writing a file, and whether there is one.
func Writer(part string) (Process, bool) {
	c, err := look(part)
	if err != nil {
		return Process{}, false
	}
	defer c.Close()
	if c.lock(lockShared, moments) != errLocked {
		return Process{}, false
	}
	who, _ := holder(c.info)
	return who, true
}

// look opens a file to see whether it is locked.
func look(part string) (*claim, error) {
	f, err := openThere(part)
	if err != nil {
		return nil, err
	}
	c := &claim{File: f, part: part}
	if c.info, err = f.Stat(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return c, nil
}
