package claim

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Folder is an output of several files. They are written into the folder NAME.part.
type Folder struct {
	claim *claim // nil when it is closed
	path  string
}

// CreateFolder makes the folder for the files of an output, and the folders that it is in.
func CreateFolder(path string, opt Options) (*Folder, error) {
	if err := os.MkdirAll(filepath.Dir(path), fs.ModePerm); err != nil {
		return nil, err
	}
	c, err := claimed(path+partSuffix, path, true, opt.Discard)
	if err != nil {
		return nil, err
	}
	return &Folder{c, path}, nil
}

// Part is the folder to write into.
func (d *Folder) Part() string { return d.claim.part }

// Commit gives the folder its name. What has the name already must be an empty folder, if anything. If the name cannot be given, the folder
// stays as NAME.part, and the error says so.
func (d *Folder) Commit() error {
	return d.commit(func(part string) error {
		_ = os.Remove(d.path) // does nothing unless it is empty
		return files{}.Rename(part, d.path, false)
	})
}

// Spread moves all files to the folder that the output is in, the last one last, and removes the empty folder. If one of the names is
// taken, all files stay in NAME.part, and the error says so.
func (d *Folder) Spread(last string) error {
	return d.commit(func(part string) error {
		entries, err := os.ReadDir(part)
		if err != nil {
			return err
		}
		names := []string{last}
		for _, e := range entries {
			if e.Name() != last {
				names = append(names, e.Name())
			}
		}
		slices.Reverse(names)
		if err := moveAll(part, filepath.Dir(part), names); err != nil {
			return err
		}
		return os.Remove(part)
	})
}

// commit publishes the folder if it is still ours.
func (d *Folder) commit(publish func(part string) error) error {
	part := d.claim.part
	if !d.claim.Stands() {
		return errors.Join(&fs.PathError{Op: "rename", Path: part, Err: errGone}, d.close())
	}
	if closeFirst {
		if err := d.close(); err != nil {
			return err
		}
	}
	err := publish(part)
	if err != nil {
		err = unnamed(err, d.path, part)
	}
	return errors.Join(err, d.close())
}

// moveAll moves files and folders, all or none.
func moveAll(from, to string, names []string) error {
	for i, name := range names {
		err := files{}.Rename(filepath.Join(from, name), filepath.Join(to, name), false)
		if err == nil {
			continue
		}
		for _, moved := range names[:i] {
			err = errors.Join(err, os.Rename(filepath.Join(to, moved), filepath.Join(from, moved)))
		}
		return err
	}
	return nil
}

// Discard gives up: nothing half-written stays. It does nothing after Commit and Spread.
func (d *Folder) Discard() error {
	if d.claim == nil {
		return nil
	}
	var err error
	if part := d.claim.part; d.claim.Stands() {
		err = os.RemoveAll(part)
	}
	return errors.Join(err, d.close())
}

// close lets go of the folder.
func (d *Folder) close() error {
	if d.claim == nil {
		return nil
	}
	err := d.claim.Close()
	d.claim = nil
	return err
}
