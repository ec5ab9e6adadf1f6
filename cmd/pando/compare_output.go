package main

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/comparison"
	"github.com/pandotrace/pando/internal/report/comparison/tables"
	"github.com/pandotrace/pando/internal/stacks"
)

// comparedFormats are the formats of comparisons. Of call trees, those that have room for two runs.
func comparedFormats() []outputs.Format {
	trees := slices.DeleteFunc(stackFormats(), func(f outputs.Format) bool { return f.Name == svgFormat.Name })
	return slices.Concat([]outputs.Format{textFormat}, trees, []outputs.Format{jsonFormat, pngFormat, svgFormat}, tablesOnly)
}

// tablesOnly are the formats of tables that no other answer has.
var tablesOnly = slices.DeleteFunc(outputs.Tables(), func(f outputs.Format) bool { return f.Name == jsonFormat.Name })

// chooseOutput chooses the format.
func (v *compareVerb) chooseOutput(out io.Writer) error {
	switch {
	case v.tables != nil && v.similarity:
		return usagef("--similarity is an answer of its own; as a table it is --tables similarity")
	case v.tables != nil:
		return v.chooseTables(out)
	case v.similarity:
		v.formats = []outputs.Format{textFormat, jsonFormat, pngFormat, svgFormat}
	default:
		v.formats = slices.DeleteFunc(comparedFormats(), func(f outputs.Format) bool {
			return slices.ContainsFunc(tablesOnly, func(t outputs.Format) bool { return t.Name == f.Name })
		})
	}
	if err := v.choose(); err != nil {
		return err
	}
	return v.checkShown(out)
}

func (v *compareVerb) checkShown(out io.Writer) error {
	if v.output != "" && v.output != outputs.Standard {
		return nil
	}
	if err := outputs.CheckShown(out, v.chosen); err != nil {
		return usageError{err}
	}
	return nil
}

// chooseTables chooses the format of tables.
func (v *compareVerb) chooseTables(out io.Writer) (err error) {
	if err := tables.Check(v.tables); err != nil {
		return usageError{err}
	}
	if v.output == "" {
		return usagef("-o OUT is needed for tables: a folder, a file such as skew.parquet, or - for standard output")
	}
	if v.chosen, err = outputs.ChooseTable(v.output, v.name, outputs.Tables()); err != nil {
		return usageError{err}
	}
	if !outputs.IsTableFolder(v.output, v.chosen) && len(v.tables) != 1 {
		return usagef("-o %s is for one table; for several, -o FOLDER --format %s", v.output, v.chosen.Name)
	}
	return v.checkShown(out)
}

// isPicture reports whether the output is a picture.
func (v *compareVerb) isPicture() bool {
	return v.chosen.Name == pngFormat.Name || v.chosen.Name == svgFormat.Name
}

// alike returns a function that aligns all locations.
func (v *compareVerb) alike(ctx context.Context, sides []contrast.Side) func() (*contrast.Likeness, error) {
	return func() (*contrast.Likeness, error) {
		if n := len(sides); n > 1 {
			sides = []contrast.Side{sides[0], sides[n-1]}
		}
		opt := v.opt
		bar := progress.New("aligning", "pairs", 0)
		defer bar.Done()
		opt.Progress = bar.Report
		return contrast.Alike(ctx, sides, opt)
	}
}

// tellLikeness writes how alike all locations are.
func (v *compareVerb) tellLikeness(ctx context.Context, out io.Writer, sides []contrast.Side) error {
	l, err := v.alike(ctx, sides)()
	if err != nil {
		return err
	}
	r := comparison.NewLikeness(l)
	return v.print(out, func(_ context.Context, w *bufio.Writer) error {
		if v.isPicture() {
			return v.chosen.Draw(w, r.Picture(), matrixWidth)
		}
		return r.Write(w, v.format)
	})
}

// tellFirst tells where the calls of each location first differ.
func (v *compareVerb) tellFirst(ctx context.Context, out io.Writer, sides []contrast.Side) error {
	f, err := comparison.NewFirst(ctx, sides[0], sides[len(sides)-1], v.opt.Memory, nil)
	if err != nil {
		return err
	}
	return v.print(out, func(_ context.Context, w *bufio.Writer) error { return f.Write(w, v.format) })
}

// tell writes the outcome.
func (v *compareVerb) tell(ctx context.Context, out io.Writer, all []*contrast.Comparison, sides []contrast.Side) error {
	if v.tables != nil {
		return v.writeTables(ctx, out, &tables.Source{Context: ctx, Comparison: all[0], Likeness: v.alike(ctx, sides)})
	}
	r := comparison.New(all...)
	r.Limit(v.limit)
	return v.print(out, func(_ context.Context, w *bufio.Writer) error {
		switch f, ok := stacks.FormatNamed(v.chosen.Name); {
		case v.isPicture():
			p, err := r.Picture(ctx, [2]contrast.Side{sides[0], sides[len(sides)-1]}, usualPicture)
			if err != nil {
				return err
			}
			return v.chosen.Draw(w, p, usualPicture)
		case ok && f.Name == "folded":
			return stacks.WriteFoldedColumns(w, r.Stacks(), 0, 1)
		case ok:
			return f.Write(w, r.Stacks())
		}
		return r.Write(w, v.format)
	})
}

// writeTables writes tables, and tells which.
func (v *compareVerb) writeTables(ctx context.Context, out io.Writer, s *tables.Source) error {
	format := columnar.Format(v.chosen.Name)
	if !outputs.IsTableFolder(v.output, v.chosen) {
		return v.print(out, func(_ context.Context, w *bufio.Writer) error {
			_, err := s.Write(w, v.tables[0], format)
			return err
		})
	}
	files, err := s.Export(v.output, v.tables, format, func(path string) (tables.File, error) { return createOutput(nil, path, v.replacing) })
	if err != nil {
		return err
	}
	return report.Write(out, report.NewExport(files), answerFormats[textFormat.Name])
}
