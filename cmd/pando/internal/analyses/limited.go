package analyses

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/store"
)

// limited is a verb about one window of a file. Its text lists the first rows of the answer.
type limited struct {
	verb.Answering
	verb.Selection
	limit   int              // most rows of the text, 0 for all
	formats []outputs.Format // of the answer without --tables, if it has others than text and JSON
}

// answer is what such a verb has found: tables by name, and text or JSON.
type answer struct {
	tables func(names []string) (*tables.Set, error)
	print  func(io.Writer) error
}

var documentFormats = []outputs.Format{verb.TextFormat, verb.JSONFormat}

// limitedFormats are the formats of such verbs.
func limitedFormats() []outputs.Format { return slices.Concat(documentFormats, verb.TablesOnly) }

// answer checks the flags, opens the file, and writes what find returns. A signal ends the context of find.
func (v *limited) answer(out io.Writer, path string, find func(context.Context, *report.Trace, *store.Window) (answer, error)) error {
	if v.limit < 0 {
		return verb.Usagef("--limit %d is negative", v.limit)
	}
	formats := v.formats
	if formats == nil {
		formats = documentFormats
	}
	if err := v.ChooseAnswer(out, formats...); err != nil {
		return err
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	f, window, err := v.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	found, err := find(ctx, f, window)
	if err != nil {
		return err
	}
	if v.Tables != nil {
		return v.WriteTablesOf(ctx, out, found.tables)
	}
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error { return found.print(w) })
}
