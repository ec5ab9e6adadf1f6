package lint

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tracked is a file in git and its size in bytes.
type tracked struct {
	path string
	size int64
}

// checkSizes reports files too large for git, and too much data in all of them together.
func checkSizes(files []tracked) (problems []string) {
	data := int64(0)
	for _, f := range files {
		if f.size > maxFileBytes {
			problems = append(problems, fmt.Sprintf("%s: %d bytes, more than %d", f.path, f.size, maxFileBytes))
		}
		if !slices.Contains(written, path.Ext(f.path)) {
			data += f.size
		}
	}
	if data > maxDataBytes {
		problems = append(problems, fmt.Sprintf("%d bytes of data in all, more than %d", data, maxDataBytes))
	}
	return problems
}

func TestSizes(t *testing.T) {
	dir := root(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not on PATH")
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err != nil {
		t.Skip("not a git checkout")
	}
	out, err := run(dir, "git", "ls-files", "-z")
	if err != nil {
		t.Fatal(err)
	}
	var files []tracked
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(dir, name))
		if os.IsNotExist(err) {
			continue // deleted and not yet committed
		} else if err != nil {
			t.Fatal(err)
		}
		files = append(files, tracked{name, info.Size()})
	}
	if len(files) < 10 {
		t.Fatalf("git ls-files found %d files", len(files))
	}
	for _, problem := range checkSizes(files) {
		t.Error(problem)
	}
}

func TestSizeRule(t *testing.T) {
	many := slices.Repeat([]tracked{{"testdata/trace", maxFileBytes}}, maxDataBytes/maxFileBytes)
	tests := []struct {
		name     string
		files    []tracked
		problems int
	}{
		{"at the limits", many, 0},
		{"source is no data", append(many[:len(many):len(many)], tracked{"a.go", 1}), 0},
		{"source in C is no data", append(many[:len(many):len(many)], tracked{"a.h", 1}), 0},
		{"too much data", append(many[:len(many):len(many)], tracked{"testdata/straw", 1}), 1},
		{"a file too large", []tracked{{"a.go", maxFileBytes + 1}}, 1},
	}
	for _, tt := range tests {
		if got := checkSizes(tt.files); len(got) != tt.problems {
			t.Errorf("%s: %q, want %d problems", tt.name, got, tt.problems)
		}
	}
}
