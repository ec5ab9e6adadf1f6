// Command makevectors writes the test vectors of the layout of recordings:
//
//	go run ./spec/recording/makevectors spec/recording/vectors
//
// It lays out bytes as layout.md says, and shares no code with those who write or read recordings. What a reader must make of each vector stands beside its bytes here, written by
// hand.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: makevectors FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "makevectors:", err)
		os.Exit(1)
	}
}

// write writes a folder for each vector.
func write(folder string) error {
	for _, v := range all() {
		dir := filepath.Join(folder, v.name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for _, r := range v.files {
			b, err := packed(r.bytes())
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.pandorec.gz", r.rank)), b, 0o644); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "expected.txt"), []byte("# "+v.about+"\n"+v.expected), 0o644); err != nil {
			return err
		}
	}
	return nil
}
