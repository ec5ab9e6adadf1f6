package convert

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sizeOf returns the size of all files of a trace, in bytes.
func sizeOf(f *Format, path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	total := info.Size()
	for _, pattern := range f.parts {
		n, err := sizeOfParts(strings.TrimSuffix(path, filepath.Ext(path)), pattern)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// sizeOfParts adds up the regular files whose path is stem and something that matches the pattern. A folder that does not
// exist holds none.
func sizeOfParts(stem, pattern string) (total int64, err error) {
	dir, prefix := filepath.Split(stem)
	if rest, inside := strings.CutPrefix(pattern, "/"); inside {
		dir, prefix, pattern = stem, "", rest
	}
	entries, err := os.ReadDir(filepath.Clean(dir))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), prefix)
		if match, _ := filepath.Match(pattern, rest); !ours || !match {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
	}
	return total, err
}
