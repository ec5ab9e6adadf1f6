package analyses

import (
	"bufio"
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/internal/report/waits"
	"github.com/pandotrace/pando/store"
)

// waiting is the part of the verb hotspots that tells where locations wait for each other, and what the critical path is.
type waiting struct{ waits, critical bool }

// add adds the flags.
func (x *waiting) add(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&x.waits, "waits", false, "tell where locations wait for each other, and for whom")
	cmd.Flags().BoolVar(&x.critical, "critical-path", false, "tell which calls lie on the critical path, and on which locations")
}

// asked reports whether one of the flags is set.
func (x *waiting) asked() bool { return x.waits || x.critical }

// choose checks that the flags go together, and chooses the format of the answer.
func (x *waiting) choose(a *verb.Answering) error {
	switch {
	case x.waits && x.critical:
		return verb.Usagef("--waits and --critical-path are two answers: ask for one")
	case a.Tables != nil:
		return verb.Usagef("--waits and --critical-path are answers of their own; as tables they are --tables waits and --tables critical_path")
	}
	a.Formats = []outputs.Format{verb.TextFormat, verb.JSONFormat}
	return a.Choose()
}

// answer finds and writes the answer: at most a number of rows of each table, 0 for all.
func (x *waiting) answer(ctx context.Context, out io.Writer, a *verb.Answering, f *report.Trace, w *store.Window, memory int64, limit int) error {
	write, err := x.find(ctx, f, w, memory, limit)
	if err != nil {
		return err
	}
	return a.Print(out, func(_ context.Context, to *bufio.Writer) error { return write(to, a.Format) })
}

// find returns what writes the answer.
func (x *waiting) find(ctx context.Context, f *report.Trace, w *store.Window, memory int64, limit int) (write func(io.Writer, report.Format) error, err error) {
	bar := progress.New("following calls and messages", "events", 0)
	defer bar.Done()
	q := &waits.Question{Trace: f, Window: w, Memory: memory, Progress: bar.Report}
	if x.critical {
		p, err := waits.Critical(ctx, q)
		if err != nil {
			return nil, err
		}
		p.Limit(limit)
		return p.Write, nil
	}
	r, err := waits.Find(ctx, q)
	if err != nil {
		return nil, err
	}
	r.Limit(limit)
	return r.Write, nil
}

// tables returns those of some tables that are of waits and of the critical path.
func (x *waiting) tables(ctx context.Context, names []string, f *report.Trace, w *store.Window, memory int64) (*tables.Set, error) {
	own := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !slices.Contains(waits.TableNames(), n) })
	return waits.Tables(ctx, &waits.Question{Trace: f, Window: w, Memory: memory}, own)
}

// joined returns a set with the tables of two; it says of them what either says.
func joined(a, b *tables.Set) *tables.Set {
	about := slices.Clone(a.About)
	for _, p := range b.About {
		if !slices.ContainsFunc(about, func(q encode.Property) bool { return q.Name == p.Name }) {
			about = append(about, p)
		}
	}
	return &tables.Set{Tables: slices.Concat(a.Tables, b.Tables), About: about, Failed: b.Failed}
}
