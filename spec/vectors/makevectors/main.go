// Command makevectors writes the vectors of the file format: small files with one feature or one fault each, and what a reader
// must make of them.
//
//	go run ./spec/vectors/makevectors spec/v1/vectors
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/pandotrace/pando/spec/vectors"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: makevectors FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "makevectors:", err)
		os.Exit(1)
	}
}

func run(folder string) error {
	vectors.Smallest = func() ([]byte, error) { return writeSmallest(filepath.Join(folder, "..", "writer", "smallest.py")) }
	vectors, err := vectors.All()
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(folder, "*.pando"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	expected := map[string]any{}
	for _, v := range vectors {
		if err := os.WriteFile(filepath.Join(folder, v.Name+".pando"), v.File, 0o666); err != nil {
			return err
		}
		expected[v.Name] = v.Expected
	}
	b, err := json.Marshal(expected)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "expected.json"), append(b, '\n'), 0o666)
}

// writeSmallest runs the smallest writer, which needs Python.
func writeSmallest(writer string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "smallest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "smallest.pando")
	if said, err := exec.Command("python3", "-B", writer, out, vectors.SmallestID).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", writer, err, said)
	}
	return os.ReadFile(out)
}
