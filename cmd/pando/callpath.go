package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/stacks"
)

// callPaths are the flags of summaries by call path.
type callPaths struct {
	output, minShare string
	depth            int
	discard          bool

	least  *float64 // of all time, from 0 to 1
	format stacks.Format
}

func (c *callPaths) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&c.output, "output", "o", "", "write the call tree to `OUT`, whose ending says in which format")
	f.StringVar(&c.minShare, "min-share", "", "only call paths that take this `SHARE` of the time (1%)")
	f.IntVar(&c.depth, "depth", 0, "only call paths of at most `N` calls")
	addDiscard(cmd, &c.discard, "OUT")
}

// check finds fault with flags. as says that a format of standard output was chosen.
func (c *callPaths) check(by string, as bool) (err error) {
	switch {
	case by != report.ByCallPath && (c.output != "" || c.minShare != "" || c.depth != 0):
		return usagef("--output, --min-share and --depth are about call paths: they go with --by callpath")
	case c.depth < 0:
		return usagef("--depth %d is negative", c.depth)
	case c.output != "" && (as || c.minShare != "" || c.depth != 0):
		return usagef("--output writes the whole call tree in the format of its ending: --json, --csv, --min-share and --depth are for what is printed")
	}
	if c.minShare != "" {
		share, err := parseShare(c.minShare)
		if err != nil {
			return err
		}
		c.least = &share
	}
	if c.output != "" {
		return c.choose()
	}
	return nil
}

// parseShare reads a share: "1%", or "0.5 %"; a number alone is percent, too.
func parseShare(text string) (float64, error) {
	percent, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil || !(percent >= 0 && percent <= 100) {
		return 0, usagef("--min-share %s is not between 0%% and 100%%", text)
	}
	return percent / 100, nil
}

// choose chooses the format by the name of the output.
func (c *callPaths) choose() error {
	f, ok := stacks.FormatOf(c.output)
	if c.format = f; ok {
		return nil
	}
	var endings []string
	for _, f := range stacks.Formats() {
		endings = append(endings, f.Suffix)
	}
	return usagef("--output %s: a call tree goes into a file that ends in %s", c.output, strings.Join(endings, ", "))
}

// write writes a call tree into the output.
func (c *callPaths) write(s *report.Summary) (err error) {
	tree, ok := s.Stacks()
	if !ok {
		return errors.New("a summary without call paths")
	}
	file, err := createPicture(c.output, c.discard)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Discard()) }()
	if err := c.format.Write(file, tree); err != nil {
		return err
	}
	return file.Commit()
}
