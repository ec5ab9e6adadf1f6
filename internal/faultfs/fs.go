// Package faultfs is a file system in memory that fails on demand: as a disk that is full, and as a machine that
// loses its power and forgets what was not synced. It also has readers that fail.
package faultfs

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
)

// ErrOff is what everything returns after the power is gone.
var ErrOff = errors.New("the power is gone")

// File is a file that is being written.
type File = interface {
	io.WriteCloser
	Sync() error
	// Stands reports whether the file has its name.
	Stands() bool
}

// FS is a file system in memory. Its operations are counted: each change of a name, each write, each sync.
type FS struct {
	fault      Faulty
	operations int
	names      map[string]*file
	durable    map[string]*file         // as of the last sync of the folder
	changes    []func(map[string]*file) // of names, since then
}

// Faulty is asked before each operation, by its number from 0 and by what it is ("create", "write", "sync", "rename", "remove"): an error
// makes the operation fail. A write that fails writes the first half.
type Faulty func(operation int, what string) error

// New makes an empty file system whose operations fail as fault says; nil is for never.
func New(fault Faulty) *FS {
	return &FS{fault: fault, names: map[string]*file{}, durable: map[string]*file{}}
}

// PowerOff returns a fault that lets n operations succeed and none after them.
func PowerOff(after int) Faulty {
	return func(operation int, _ string) error {
		if operation >= after {
			return ErrOff
		}
		return nil
	}
}

// Operations returns how many there were.
func (f *FS) Operations() int { return f.operations }

// Names returns the names of all files.
func (f *FS) Names() []string { return slices.Sorted(maps.Keys(f.names)) }

// Bytes returns what a file holds, nil if there is none.
func (f *FS) Bytes(name string) []byte {
	if file := f.names[name]; file != nil {
		return file.bytes
	}
	return nil
}

func (f *FS) operation(what, name string) error {
	n := f.operations
	f.operations++
	if f.fault != nil {
		if err := f.fault(n, what); err != nil {
			return &fs.PathError{Op: what, Path: name, Err: err}
		}
	}
	return nil
}

// change changes names, now and, if the power does not fail before, for good.
func (f *FS) change(apply func(map[string]*file)) {
	apply(f.names)
	f.changes = append(f.changes, apply)
}

// Claim makes an empty file, which must not be there. path, of which it is to become, and discard do not matter.
func (f *FS) Claim(name, path string, discard bool) (File, error) {
	if err := f.operation("create", name); err != nil {
		return nil, err
	}
	if f.names[name] != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	made := &file{fs: f, name: name}
	f.change(func(names map[string]*file) { names[name] = made })
	return made, nil
}

// Rename gives a file another name, in the place of any other one if it may replace that.
func (f *FS) Rename(from, to string, replace bool) error {
	if err := f.operation("rename", from); err != nil {
		return err
	}
	if f.names[from] == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: fs.ErrNotExist}
	}
	if !replace && f.names[to] != nil {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	f.change(func(names map[string]*file) {
		names[to] = names[from]
		delete(names, from)
	})
	return nil
}

// Remove takes a file's name away.
func (f *FS) Remove(name string) error {
	if err := f.operation("remove", name); err != nil {
		return err
	}
	if f.names[name] == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	f.change(func(names map[string]*file) { delete(names, name) })
	return nil
}

// SyncFolder makes the names durable of all files in the folder of this one.
func (f *FS) SyncFolder(name string) error {
	if err := f.operation("sync", name); err != nil {
		return err
	}
	for _, apply := range f.changes {
		apply(f.durable)
	}
	f.changes = nil
	return nil
}

// file is a file of an FS.
type file struct {
	fs      *FS
	name    string
	bytes   []byte
	durable int // bytes that were synced
}

func (f *file) Write(b []byte) (int, error) {
	if err := f.fs.operation("write", f.name); err != nil {
		half := b[:len(b)/2]
		f.bytes = append(f.bytes, half...)
		return len(half), err
	}
	f.bytes = append(f.bytes, b...)
	return len(b), nil
}

func (f *file) Sync() error {
	err := f.fs.operation("sync", f.name)
	if err == nil {
		f.durable = len(f.bytes)
	}
	return err
}

func (f *file) Close() error { return nil }

func (f *file) Stands() bool { return f.fs.names[f.name] == f }
