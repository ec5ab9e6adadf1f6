// Command circles finds the circles of types and functions within packages: declarations of which each refers to each other, if not directly
// then by way of others. A type and its methods are one node. Circles above a number of lines must be rows of the records in docs/decisions
// that allow them, so that a new one is a decision.
//
//	go run ./tools/circles -lines 600 ./...
//
// Each circle is printed with its lines, its number of nodes and its largest node; those that no record allows make it fail.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "circles:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("circles", flag.ContinueOnError)
	limit := flags.Int("lines", 600, "print circles of more than this `number` of lines")
	decisions := flags.String("decisions", "docs/decisions", "`folder` of the records that allow circles")
	if err := flags.Parse(args); err != nil {
		return err
	}
	allowed, err := readRecords(*decisions)
	if err != nil {
		return err
	}
	packages, err := load(flags.Args())
	if err != nil {
		return err
	}
	unknown := 0
	for _, p := range packages {
		for _, c := range p.circles() {
			if c.lines <= *limit {
				continue
			}
			note := ""
			if !allowed.names(p.folder, c.largest) {
				note = "  (no record names it)"
				unknown++
			}
			fmt.Fprintf(out, "%5d lines %4d nodes  %s %s%s\n", c.lines, len(c.nodes), p.folder, c.largest, note)
		}
	}
	if unknown > 0 {
		return fmt.Errorf("%d circles of more than %d lines are in no record of %s", unknown, *limit, *decisions)
	}
	return nil
}

// records is the text of the decisions about circles.
type records string

func readRecords(folder string) (records, error) {
	var text strings.Builder
	names, err := filepath.Glob(filepath.Join(folder, "*circles*.md"))
	if err != nil {
		return "", err
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		text.Write(b)
	}
	return records(text.String()), nil
}

// names tells whether a line of a record names both a package and the largest node of a circle in it, as code.
func (r records) names(folder, node string) bool {
	for line := range strings.Lines(string(r)) {
		if strings.Contains(line, "`"+folder+"`") && strings.Contains(line, "`"+node+"`") {
			return true
		}
	}
	return false
}
