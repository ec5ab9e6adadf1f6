package claim

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// claim is a file or folder NAME.part that is locked.
type claim struct {
	*os.File
	info       fs.FileInfo
	part, path string
}

// Stands implements Handle.
func (c *claim) Stands() bool {
	there, err := os.Lstat(c.part)
	return err == nil && os.SameFile(c.info, there)
}

// Who looks at a file shares a lock on it for a moment, and between making a file and locking it there is one too. Such moments are waited
// for. They decide about the words of an error and not about who writes: that is always the one whose lock is on the file that has the name.
const (
	moment   = time.Millisecond
	moments  = 20               // that a lock is tried
	patience = 2 * time.Second  // for an empty file to be locked, from when it was made
	looking  = 10 * time.Second // for those who look, until a file that was made is locked
)

// How locking fails.
var (
	errLocked  = errors.New("somebody else has locked it")
	errNoLocks = errors.New("the file system has no locks")
)

// errAgain is that what was there has gone, or is about to change.
var errAgain = errors.New("try again")

// mostVanished is how often a file may vanish between being seen and being opened before that is an error.
const mostVanished = 100

// claimed makes the file or folder part, of which path is to become, and locks it.
func claimed(part, path string, folder, discard bool) (*claim, error) {
	begin, pause, vanished := time.Now(), moment, 0
	for {
		file, made, err := openPart(part, folder)
		if err != nil {
			// It was there, and is gone; or the file system says so of all that cannot be made, as /proc does.
			if vanished < mostVanished && errors.Is(err, fs.ErrNotExist) && present(filepath.Dir(part)) {
				vanished++
				continue
			}
			return nil, err
		}
		c := &claim{File: file, part: part, path: path}
		if c.info, err = c.Stat(); err == nil {
			if made {
				err = c.keep()
			} else {
				err = c.judge(discard, time.Since(begin) > patience)
			}
		}
		if err == nil {
			return c, nil
		}
		c.Close()
		if err != errAgain {
			return nil, err
		}
		time.Sleep(pause) // without a lock, and ever longer: who has made the file must come to lock it
		pause = min(2*pause, moments*moment)
	}
}

// hold locks a file that is there, whatever it holds.
func hold(part, path string) (*claim, error) {
	c, err := look(part)
	if err != nil {
		return nil, err
	}
	c.path = path
	if c.lock(lockFile, moments) == errLocked {
		return nil, errors.Join(c.busy(true), c.Close())
	}
	return c, nil
}

func present(folder string) bool {
	_, err := os.Stat(folder)
	return err == nil
}

// openPart makes a file or folder, or opens what is there.
func openPart(part string, folder bool) (f *os.File, made bool, err error) {
	if folder {
		if err = os.Mkdir(part, fs.ModePerm); err == nil {
			f, err = os.Open(part)
		}
	} else {
		f, err = os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	}
	if !errors.Is(err, fs.ErrExist) {
		return f, true, err
	}
	f, err = openThere(part)
	return f, false, err
}

// openThere opens what is there, in order to lock it. Links are not followed, and pipes not waited for.
func openThere(part string) (*os.File, error) {
	info, err := os.Lstat(part)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return os.Open(part)
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "create", Path: part, Err: errors.New("not a regular file")}
	}
	f, err := os.OpenFile(part, os.O_WRONLY|openFlags, 0) // some file systems lock only what can be written
	if errors.Is(err, fs.ErrPermission) {
		f, err = os.OpenFile(part, os.O_RDONLY|openFlags, 0)
	}
	return f, err
}

// keep locks what was made. Without locks in the file system it is ours as well: nobody else has made it.
func (c *claim) keep() error {
	if c.lock(lockFile, int(looking/moment)) == errLocked {
		return c.busy(true)
	}
	if !c.Stands() {
		return errAgain // somebody was asked to discard it
	}
	return nil
}

// judge decides what is to be done about a file that is there: the error says so. late says that things have been given time to change.
func (c *claim) judge(discard, late bool) error {
	locked := c.lock(lockShared, moments)
	switch {
	case locked == errLocked:
		return c.busy(late)
	case !c.Stands():
		return errAgain
	case discard || c.completed():
		return c.remove()
	case c.empty() && !late && time.Since(c.info.ModTime()) < patience:
		return errAgain
	}
	return c.leftover(locked)
}

// remove removes what was left. After that the name is free for the next writer.
func (c *claim) remove() error {
	if lockFile(c.File) == errLocked || !c.Stands() {
		return errAgain
	}
	if closeFirst {
		c.Close()
	}
	if err := os.RemoveAll(c.part); err != nil {
		return err
	}
	return errAgain
}

// leftover is the error that something was left; locked says how locking it went.
func (c *claim) leftover(locked error) error {
	return &fs.PathError{Op: "create", Path: c.path, Err: &LeftoverError{Part: c.part, Bytes: c.info.Size(), Folder: c.info.IsDir(), Unsure: locked == errNoLocks}}
}

// lock locks the file, and tries it again where others look at it.
func (c *claim) lock(by func(*os.File) error, tries int) (err error) {
	for range tries {
		if err = by(c.File); err != errLocked {
			return err
		}
		time.Sleep(moment)
	}
	return err
}

// busy says who has locked the file. A lock that nobody has is one that was given up just now or, if late, one of a process that we cannot
// see, of another container for example.
func (c *claim) busy(late bool) error {
	who, listed := holder(c.info)
	if listed && who.PID == 0 && !late {
		return errAgain
	}
	return busy(c.path, c.part, who)
}

// completed reports whether the file has its final name besides this one: its writer ended in between.
func (c *claim) completed() bool {
	there, err := os.Lstat(c.path)
	return err == nil && os.SameFile(c.info, there)
}

// empty reports whether nothing was written yet.
func (c *claim) empty() bool {
	if !c.info.IsDir() {
		return c.info.Size() == 0
	}
	_, err := c.ReadDir(1)
	return err == io.EOF
}
