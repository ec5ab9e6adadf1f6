package convert

import (
	"os"
	"path/filepath"
	"strings"
)

// sizeOf returns the size of all files of a trace, in bytes. What cannot be read counts nothing.
func sizeOf(f *Format, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	if info.IsDir() {
		return sizeOfJoined(f, path)
	}
	total := info.Size()
	for _, pattern := range f.parts {
		total += sizeOfParts(strings.TrimSuffix(path, filepath.Ext(path)), pattern)
	}
	return total
}

// sizeOfJoined adds up the files of a folder that make up one trace.
func sizeOfJoined(f *Format, dir string) (total int64) {
	paths, _ := joined(dir, f.joins)
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			total += info.Size()
		}
	}
	return total
}

// sizeOfParts adds up the files that partsOf lists.
func sizeOfParts(stem, pattern string) (total int64) {
	for _, path := range partsOf(stem, pattern) {
		if info, err := os.Stat(path); err == nil {
			total += info.Size()
		}
	}
	return total
}

// partsOf lists the regular files whose path is stem and something that matches the pattern.
func partsOf(stem, pattern string) (paths []string) {
	dir, prefix := filepath.Split(stem)
	if rest, inside := strings.CutPrefix(pattern, "/"); inside {
		dir, prefix, pattern = stem, "", rest
	}
	entries, _ := os.ReadDir(filepath.Clean(dir))
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), prefix)
		if match, _ := filepath.Match(pattern, rest); !ours || !match {
			continue
		}
		if e.Type().IsRegular() {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths
}
