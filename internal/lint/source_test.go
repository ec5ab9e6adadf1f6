package lint

import (
	"bytes"
	"fmt"
	"go/format"
	"path"
	"slices"
	"strings"
	"testing"
)

// checkFormat reports a Go file that gofmt would write differently.
func checkFormat(f *file) []string {
	if !f.isGo() {
		return nil
	}
	want, err := format.Source(f.text)
	if err != nil {
		return []string{err.Error()}
	}
	if !bytes.Equal(want, f.text) {
		return []string{"not as gofmt would have it"}
	}
	return nil
}

// checkLength reports a file of more than maxLines lines, unless it is one of the tables or prose.
func checkLength(f *file) []string {
	if !f.named(code) {
		return nil
	}
	if f.isTable() {
		return nil
	}
	if n := bytes.Count(f.text, []byte("\n")); n > maxLines {
		return []string{fmt.Sprintf("%d lines, more than %d", n, maxLines)}
	}
	return nil
}

// checkCrowding reports packages beyond the limits, and rows of crowded that are out of date.
func checkCrowding(files []*file, crowded map[string]size) (problems []string) {
	sizes := map[string]size{}
	for _, f := range files {
		if f.isGo() && !f.isTable() && !strings.HasSuffix(f.path, "_test.go") {
			s := sizes[path.Dir(f.path)]
			sizes[path.Dir(f.path)] = size{s.files + 1, s.lines + bytes.Count(f.text, []byte("\n"))}
		}
	}
	for dir, s := range sizes {
		bound, listed := crowded[dir]
		if !listed {
			bound = size{maxPackageFiles, maxPackageLines}
		}
		if s.files > bound.files || s.lines > bound.lines {
			problems = append(problems, fmt.Sprintf("%s: %d files and %d lines, at most %d and %d", dir, s.files, s.lines, bound.files, bound.lines))
		}
	}
	for dir, bound := range crowded {
		switch s := sizes[dir]; {
		case s.files <= maxPackageFiles && s.lines <= maxPackageLines:
			problems = append(problems, dir+": keeps to the limits, so its row in crowded must go")
		case s.files < bound.files && bound.files > maxPackageFiles, s.lines < bound.lines-slackLines && bound.lines > maxPackageLines:
			problems = append(problems, fmt.Sprintf("%s: %d files and %d lines, so its row in crowded must be lowered", dir, s.files, s.lines))
		}
	}
	slices.Sort(problems)
	return problems
}

// checkLeftovers reports notes to oneself.
func checkLeftovers(f *file) (problems []string) {
	for i, line := range bytes.Split(f.text, []byte("\n")) {
		if note := leftovers.Find(line); note != nil {
			problems = append(problems, fmt.Sprintf("line %d: %s", i+1, note))
		}
	}
	return problems
}

// checkFuzz reports folders with fuzz targets whose tests do not import lastwords: what a crash says would be lost.
func checkFuzz(files []*file) (problems []string) {
	targets, kept := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		if !strings.HasSuffix(f.path, "_test.go") {
			continue
		}
		dir := path.Dir(f.path)
		targets[dir] = targets[dir] || bytes.Contains(f.text, []byte("\nfunc Fuzz"))
		kept[dir] = kept[dir] || bytes.Contains(f.text, []byte("_ \""+modulePath+"/internal/lastwords\""))
	}
	for dir, some := range targets {
		if some && !kept[dir] {
			problems = append(problems, dir+": fuzz targets, and no import of internal/lastwords")
		}
	}
	return problems
}

// fileRules are the rules that look at one file.
var fileRules = map[string]func(*file) []string{
	"format":    checkFormat,
	"length":    checkLength,
	"leftovers": checkLeftovers,
	"comments":  checkComments,
	"english":   checkEnglish,
	"members":   checkMembers,
}

func TestSources(t *testing.T) {
	files := sources(t)
	for name, check := range fileRules {
		t.Run(name, func(t *testing.T) {
			for _, f := range files {
				for _, problem := range check(f) {
					t.Errorf("%s: %s", f.path, problem)
				}
			}
		})
	}
	t.Run("packages", func(t *testing.T) {
		for _, problem := range checkPackages(files) {
			t.Error(problem)
		}
	})
	t.Run("crowding", func(t *testing.T) {
		for _, problem := range checkCrowding(files, crowded) {
			t.Error(problem)
		}
	})
	t.Run("fuzz", func(t *testing.T) {
		for _, problem := range checkFuzz(files) {
			t.Error(problem)
		}
	})
}

func TestFuzzRule(t *testing.T) {
	target := "package a\n\nfunc FuzzA(f *testing.F) {}\n"
	files := []*file{
		{"a/a_test.go", []byte(target)},
		{"a/b_test.go", []byte("package a\n\nimport _ \"" + modulePath + "/internal/lastwords\"\n")},
		{"b/b_test.go", []byte(target)},
		{"c/c_test.go", []byte("package c\n")},
	}
	if got := checkFuzz(files); len(got) != 1 || !strings.HasPrefix(got[0], "b:") {
		t.Errorf("got %q, want a problem of b", got)
	}
}

func TestCrowdingRule(t *testing.T) {
	var files []*file
	add := func(dir string, n, lines int) {
		for i := range n {
			files = append(files, &file{fmt.Sprintf("%s/f%d.go", dir, i), []byte(strings.Repeat("\n", lines))})
		}
	}
	add("many", maxPackageFiles+1, 1)
	add("most", maxPackageFiles, maxPackageLines/maxPackageFiles)
	add("long", 10, maxPackageLines/10+1)
	add("known", maxPackageFiles+5, 1)
	add("grown", maxPackageFiles+5, 1)
	add("shrunk", maxPackageFiles+5, 1)
	add("shorter", 10, maxPackageLines/10+10)
	add("mended", 10, 1)
	add("tested", maxPackageFiles, 1)
	files = append(files, &file{"tested/a_test.go", nil}, &file{"tested/a.md", nil})
	add("trace", maxPackageFiles, 1)
	files = append(files, &file{"trace/kinds_a.go", bytes.Repeat([]byte("\n"), maxPackageLines)})
	got := checkCrowding(files, map[string]size{
		"known": {maxPackageFiles + 5, maxPackageLines}, "grown": {maxPackageFiles + 4, maxPackageLines}, "shrunk": {maxPackageFiles + 6, maxPackageLines},
		"shorter": {maxPackageFiles, maxPackageLines + 101 + slackLines}, "mended": {maxPackageFiles + 1, maxPackageLines},
	})
	want := []string{"grown: 35 files", "long: 10 files", "many: 31 files", "mended: keeps", "shorter: 10 files and 4100 lines, so", "shrunk: 35 files and 35 lines, so"}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSourceRules holds each rule against a file that breaks it and one that does not.
func TestSourceRules(t *testing.T) {
	long := strings.Repeat("// a line\n", maxLines)
	tests := []struct {
		rule, path, text string
		problems         int
	}{
		{"format", "a.go", "package a\n\nvar x = 1\n", 0},
		{"format", "a.go", "package a\n\nvar  x = 1\n", 1},
		{"format", "a.go", "package a\n\nvar x = \n", 1},
		{"format", "a.md", "var  x = 1\n", 0},
		{"length", "a.go", long, 0},
		{"length", "a.go", long + "// one more\n", 1},
		{"length", "bench/a.mjs", long + "// one more\n", 1},
		{"length", "a.md", long + "// one more\n", 0},
		{"length", "trace/kinds_event.go", long + "// one more\n", 0},
		{"leftovers", "a.go", "// TO" + "DO(x): later\n// FIX" + "ME\n", 2},
		{"leftovers", "a.go", "// FIXMENT TODOS\n", 0},
		{"comments", "a/a.go", "package a\n\nfunc F() {}\n", 1},
		{"comments", "a/a.go", "package a\n\n// F does.\nfunc F() {}\n\nfunc f() {}\n", 0},
		{"comments", "a/a.go", "package a\n\n// T is.\ntype T[K any] struct{}\n\nfunc (t *T[K]) M() {}\n", 1},
		{"comments", "a/a.go", "package a\n\ntype t struct{}\n\nfunc (*t) M() {}\n", 0},
		{"comments", "a/a.go", "package a\n\ntype T int\n", 1},
		{"comments", "a/a.go", "package a\n\n// Both.\ntype (\n\tT int\n\tU int\n)\n", 2},
		{"comments", "a/a.go", "package a\n\n// I is.\ntype I interface{ M() }\n", 1},
		{"comments", "a/a.go", "package a\n\n// Both.\nconst (\n\tA = 1\n\tB = 2\n)\n", 0},
		{"comments", "a/a.go", "package a\n\nconst (\n\tA = 1 // one\n\tB = 2\n)\n", 1},
		{"comments", "a/a.go", "package a\n\nvar V, w int\n", 1},
		{"comments", "internal/a/a.go", "package a\n\ntype T int\n", 0},
		{"comments", "cmd/a/a.go", "package main\n\ntype T int\n", 0},
		{"comments", "a/a_test.go", "package a\n\ntype T int\n", 0},
	}
	for _, tt := range tests {
		if got := fileRules[tt.rule](&file{tt.path, []byte(tt.text)}); len(got) != tt.problems {
			t.Errorf("%s of %s %.60q: %q, want %d problems", tt.rule, tt.path, tt.text, got, tt.problems)
		}
	}
}

func TestPackageRule(t *testing.T) {
	files := []*file{
		{"a/a.go", []byte("package a\n")},
		{"a/doc.go", []byte("// Package a is.\npackage a\n")},
		{"b/b.go", []byte("package b\n")},
		{"b/README.md", []byte("package b\n")},
	}
	if got := checkPackages(files); len(got) != 1 || !strings.HasPrefix(got[0], "b:") {
		t.Errorf("got %q, want a problem of b", got)
	}
}
