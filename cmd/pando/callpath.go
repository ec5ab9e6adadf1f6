package main

import (
	"bufio"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/summary"
	"github.com/pandotrace/pando/internal/stacks"
)

// callPaths are the flags of summaries by call path.
type callPaths struct {
	minShare string
	opt      summary.PathOptions
	stack    *stacks.Format // that was chosen; nil for those of tables
}

// summaryFormats are those of summaries. The endings of call trees come before those that are parts of them. An SVG picture is that of a
// call tree, a matrix or a series.
func summaryFormats() []outputs.Format {
	return slices.Concat([]outputs.Format{verb.TextFormat}, verb.StackFormats(), []outputs.Format{verb.JSONFormat, verb.CSVFormat, verb.PNGFormat})
}

func (c *callPaths) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.minShare, "min-share", "", "only call paths that take this `SHARE` of the time (1%)")
	f.IntVar(&c.opt.Depth, "depth", 0, "only call paths of at most `N` calls")
	verb.CompleteFixed(cmd, "min-share", nil)
	verb.CompleteFixed(cmd, "depth", nil)
}

// check finds fault with flags, when the format has been chosen.
func (c *callPaths) check(v *summaryVerb, out io.Writer) (err error) {
	f, isStack := stacks.FormatNamed(v.Chosen.Name)
	isStack = isStack && !v.isPicture()
	some := c.minShare != "" || c.opt.Depth != 0
	switch {
	case v.by != summary.ByCallPath && isStack:
		return verb.Usagef("call paths alone can be written as %s: --by callpath", f.Name)
	case isStack && (some || v.Limit > 0 || len(v.Columns) > 0 || v.sort != ""):
		return verb.Usagef("a file of format %s has the whole call tree: --min-share, --depth, --limit, --columns and --sort are for tables", f.Name)
	}
	if isStack {
		c.stack = &f
		if err := v.CheckShown(out); err != nil {
			return err
		}
	}
	if c.minShare != "" {
		share, err := summary.ParseShare(c.minShare)
		if err != nil {
			return verb.Usagef("--min-share %w", err)
		}
		c.opt.MinShare = &share
	}
	return nil
}

// write writes a summary: as a call tree for other programs if that was chosen, else in a format of tables.
func (c *callPaths) write(w *bufio.Writer, s *summary.Summary, f report.Format) error {
	if tree, ok := s.Stacks(); ok && c.stack != nil {
		return c.stack.Write(w, tree)
	}
	return s.Write(w, f)
}
