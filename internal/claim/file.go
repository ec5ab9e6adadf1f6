// Package claim writes files and folders that get their names when they are complete, each by one writer at a time.
//
// An output NAME is written as NAME.part. A writer makes NAME.part, which must not be there, and holds a lock on it until it is
// renamed or removed. The system gives the lock up when the writer's process ends, however that happens: a NAME.part that nobody
// has locked was left by a writer that is gone. The rules are in docs/decisions/0009-one-writer.md.
package claim

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// Suffixes of the names of outputs that are being written. The second one is for a file that is made of what NAME.part holds.
const (
	partSuffix  = ".part"
	savedSuffix = ".saved.part"
)

// Options say what becomes of files that are there already. The zero value overwrites NAME and leaves NAME.part alone.
type Options struct {
	// NoReplace makes it an error that NAME is there, at the begin or at the end.
	NoReplace bool
	// Discard removes a NAME.part whose writer is gone. Without it, such a file is a [LeftoverError].
	Discard bool
}

// Handle is a file that no other writer can have until it is closed.
type Handle = interface {
	io.WriteCloser
	Sync() error
	// Stands reports whether the file still has its name. A user may have removed it.
	Stands() bool
}

// System is what a file needs of a file system.
type System interface {
	// Claim makes the file part, of which path is to become.
	Claim(part, path string, discard bool) (Handle, error)
	// Rename gives a file its final name. If it may not replace a file of that name, that is fs.ErrExist.
	Rename(from, to string, replace bool) error
	Remove(name string) error
	// SyncFolder makes the names durable in the folder of a file.
	SyncFolder(name string) error
}

// File is an output of one file.
type File struct {
	handle     Handle // nil when it is closed
	system     System
	path, part string
	options    Options
	remains    *claim // on NAME.part, if the file is made of what that holds
}

// Create starts to write a file.
func Create(path string, opt Options) (*File, error) { return CreateOn(files{}, path, opt) }

// CreateOn starts to write a file on a file system.
func CreateOn(system System, path string, opt Options) (*File, error) {
	return create(system, path, path+partSuffix, opt)
}

// CreateFrom starts to write a file that is made of another one, source, which may be nil. If that is NAME.part, it stays what it is: it is
// locked as if it were written, and the file is written as NAME.saved.part.
func CreateFrom(source fs.FileInfo, path string, opt Options) (*File, error) {
	if there, err := os.Stat(path + partSuffix); source == nil || err != nil || !os.SameFile(source, there) {
		return Create(path, opt)
	}
	remains, err := hold(path+partSuffix, path)
	if err != nil {
		return nil, err
	}
	f, err := create(files{}, path, path+savedSuffix, opt)
	if err != nil {
		return nil, errors.Join(err, remains.Close())
	}
	f.remains = remains
	return f, nil
}

// create claims the file first. Then no other writer can complete it, and the question whether it is there has an answer that lasts.
func create(system System, path, part string, opt Options) (*File, error) {
	handle, err := system.Claim(part, path, opt.Discard)
	if err != nil {
		return nil, err
	}
	f := &File{handle: handle, system: system, path: path, part: part, options: opt}
	if err := mayCreate(path, opt); err != nil {
		return nil, errors.Join(err, f.Discard())
	}
	return f, nil
}

// mayCreate refuses names that are taken.
func mayCreate(path string, opt Options) error {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return &fs.PathError{Op: "create", Path: path, Err: syscall.EISDIR}
	}
	if _, err := os.Lstat(path); opt.NoReplace && err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return nil
}

// Write implements io.Writer.
func (f *File) Write(b []byte) (int, error) { return f.handle.Write(b) }

// Commit makes the file durable and gives it its name. The name comes after the contents, so that no file of that name is incomplete.
// If only the name cannot be given, the file stays as NAME.part, and the error says so.
func (f *File) Commit() error {
	if err := f.handle.Sync(); err != nil {
		return errors.Join(err, f.Discard())
	}
	if !f.handle.Stands() {
		return errors.Join(&fs.PathError{Op: "rename", Path: f.part, Err: errGone}, f.close())
	}
	if closeFirst {
		if err := f.close(); err != nil {
			return err
		}
	}
	if err := f.system.Rename(f.part, f.path, !f.options.NoReplace); err != nil {
		return errors.Join(unnamed(err, f.path, f.part), f.close())
	}
	_ = f.system.SyncFolder(f.path) // not all systems can, and the file is complete
	return f.close()
}

// errGone is why a file does not get its name: what has the name NAME.part is another one.
var errGone = errors.New("it was taken away while it was written")

// unnamed says of an output that is complete where it is.
func unnamed(err error, path, part string) error {
	if errors.Is(err, fs.ErrExist) {
		err = &fs.PathError{Op: "create", Path: path, Err: errors.New("it came into being while it was written")}
	}
	return fmt.Errorf("%w; all of it is in %s", err, part)
}

// Discard gives up: nothing half-written stays. It does nothing after Commit.
func (f *File) Discard() error {
	if f.handle == nil {
		return nil
	}
	stands := f.handle.Stands()
	var err error
	if closeFirst {
		err = f.close()
	}
	if stands {
		err = errors.Join(err, f.system.Remove(f.part))
	}
	return errors.Join(err, f.close())
}

// close lets go of what is locked.
func (f *File) close() error {
	if f.handle == nil {
		return nil
	}
	err := f.handle.Close()
	if f.remains != nil {
		err = errors.Join(err, f.remains.Close())
	}
	f.handle = nil
	return err
}
