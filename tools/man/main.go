// Command man writes the manual pages of a program from its help texts: one page for the program, one
// for each verb, and one for each help topic.
// The program answers `help` and `help VERB` in the layout of cobra: a description, then sections such as "Usage:" and "Flags:".
//
//	go run ./tools/man build/pando build/man
//
// The pages carry the date of $SOURCE_DATE_EPOCH, or of today.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: man PROGRAM DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "man:", err)
		os.Exit(1)
	}
}

// write runs the program for its help and writes its pages into a folder, which it makes.
func write(program, dir string) error {
	date, err := dateOfPages(os.Getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		return err
	}
	version, err := output(program, "version")
	if err != nil {
		return err
	}
	version, _, _ = strings.Cut(strings.TrimSpace(version), ",")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	pages, err := collect(func(words ...string) (string, error) { return output(program, append([]string{"help"}, words...)...) })
	if err != nil {
		return err
	}
	for _, p := range pages {
		if err := os.WriteFile(filepath.Join(dir, p.file()), []byte(p.roff(version, date)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// dateOfPages returns the day of a number of seconds since 1970, or today if there is none.
func dateOfPages(epoch string) (string, error) {
	day := time.Now()
	if epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return "", fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
		}
		day = time.Unix(seconds, 0)
	}
	return day.UTC().Format(time.DateOnly), nil
}

func output(program string, args ...string) (string, error) {
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	return string(out), nil
}
