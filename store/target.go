package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// outputFile is a file that is being written.
type outputFile = interface {
	io.WriteCloser
	Sync() error
}

// fileSystem is what a target needs of one.
type fileSystem interface {
	Create(path string) (outputFile, error)
	Rename(from, to string) error
	Remove(path string) error
	// SyncFolder makes the names durable in the folder of a file.
	SyncFolder(path string) error
}

// systemFiles is the file system of the operating system.
type systemFiles struct{}

func (systemFiles) Create(path string) (outputFile, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o666)
}

func (systemFiles) Rename(from, to string) error { return os.Rename(from, to) }

func (systemFiles) Remove(path string) error { return os.Remove(path) }

func (systemFiles) SyncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// target is the file that Create writes: under the name NAME.part until it is complete.
type target struct {
	outputFile
	files      fileSystem
	path, part string
}

// What the file is called until then. A file made of another one's remains must not overwrite these.
const (
	partSuffix    = ".part"
	salvageSuffix = ".saved.part"
)

func createTarget(files fileSystem, path, suffix string) (*target, error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return nil, fmt.Errorf("%s: is a directory", path)
	}
	f, err := files.Create(path + suffix)
	if err != nil {
		return nil, err
	}
	return &target{outputFile: f, files: files, path: path, part: path + suffix}, nil
}

// commit makes the file durable and gives it its name. The name comes after the contents: it never stands for less than the whole file.
func (t *target) commit() error {
	err := errors.Join(t.Sync(), t.Close())
	if err == nil {
		err = t.files.Rename(t.part, t.path)
	}
	if err != nil {
		return errors.Join(err, t.files.Remove(t.part))
	}
	_ = t.files.SyncFolder(t.path) // not all systems can, and the file is complete
	return nil
}

// remove gives up: nothing half-written stays.
func (t *target) remove() error {
	return errors.Join(t.Close(), t.files.Remove(t.part))
}
