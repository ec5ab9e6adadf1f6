package write

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
)

// inTheWay returns the files of the archive that is to be replaced, the anchor first, its folder last. Without one, nothing may be
// where the new archive will be.
func inTheWay(anchor, stem string, replace bool) ([]string, error) {
	prefix, err := firstBytes(anchor)
	if !replace || err != nil {
		return nil, mustBeFree(anchor, stem, stem+".def")
	}
	if !form.Detect(prefix) {
		return nil, fmt.Errorf("otf2: %s: is no anchor of an archive, and is not overwritten", anchor)
	}
	inside, err := archiveFiles(stem)
	if err != nil {
		return nil, err
	}
	thumbs, _ := filepath.Glob(escaped(stem) + ".*.thumb")
	return slices.Concat([]string{anchor, stem + ".def", stem + ".marker"}, thumbs, inside, []string{stem}), nil
}

// mustBeFree refuses to write over what is there.
func mustBeFree(paths ...string) error {
	for _, path := range paths {
		if _, err := os.Lstat(path); err == nil {
			return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
		}
	}
	return nil
}

// firstBytes reads so much of a file as tells whether it is an anchor.
func firstBytes(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := make([]byte, anchorPrefix)
	n, err := f.Read(b)
	return b[:n], err
}

// anchorPrefix is how many bytes of an anchor are looked at.
const anchorPrefix = 512

// archiveFiles lists the files of an archive's folder. Anything else in there is an error: it would be lost.
func archiveFiles(folder string) (paths []string, err error) {
	entries, err := os.ReadDir(folder)
	if os.IsNotExist(err) {
		return nil, nil
	}
	for _, e := range entries {
		if !slices.Contains([]string{".evt", ".def", ".snap"}, filepath.Ext(e.Name())) || !e.Type().IsRegular() {
			return nil, fmt.Errorf("otf2: %s: is no file of an archive, and is not removed", filepath.Join(folder, e.Name()))
		}
		paths = append(paths, filepath.Join(folder, e.Name()))
	}
	return paths, err
}

// escaped returns a path as a pattern that matches nothing else.
func escaped(path string) string {
	var b []rune
	for _, r := range path {
		if r == '*' || r == '?' || r == '[' || r == '\\' {
			b = append(b, '\\')
		}
		b = append(b, r)
	}
	return string(b)
}

// removeAll removes the files that exist.
func removeAll(paths []string) error {
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}
