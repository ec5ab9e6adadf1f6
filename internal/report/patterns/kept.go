package patterns

import (
	"fmt"
	"io"
	"slices"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/said"
	"github.com/pandotrace/pando/trace/annotation"
)

// Kept lists the annotations of a trace: patterns that somebody kept in it.
type Kept struct {
	Trace       string            `json:"trace"`
	Annotations []said.Annotation `json:"annotations"`

	resolution uint64
}

// KeptIn lists those of some annotations of a trace that ask returns true of.
func KeptIn(t *report.Trace, ask func(*annotation.Annotation) bool) *Kept {
	m := *t.Meta()
	m.Annotations = slices.DeleteFunc(slices.Clone(m.Annotations), func(a annotation.Annotation) bool { return !ask(&a) })
	k := &Kept{Trace: t.Path, Annotations: said.List(&m, t.Info().First), resolution: m.Resolution}
	if k.Annotations == nil {
		k.Annotations = []said.Annotation{}
	}
	return k
}

// Write writes the list as text or JSON.
func (k *Kept) Write(w io.Writer, f report.Format) error { return k.write(w, f, "") }

// WriteRemoved says that they were removed.
func (k *Kept) WriteRemoved(w io.Writer, f report.Format) error { return k.write(w, f, " removed") }

func (k *Kept) write(to io.Writer, f report.Format, done string) error {
	if f == report.JSON {
		return report.WriteJSON(to, k)
	}
	w := &report.Printer{To: to}
	fmt.Fprintf(w, "%s: %s%s\n", report.Printable(k.Trace), report.Plural(len(k.Annotations), "annotation", "annotations"), done)
	if len(k.Annotations) == 0 {
		return w.Err
	}
	fmt.Fprintln(w)
	duration := func(ticks int64) string { return report.Duration(float64(ticks) / float64(k.resolution)) }
	report.WriteTable(w, said.Heads, make([]bool, len(said.Heads)), slices.Values(said.Rows(k.Annotations, duration, report.Cell)))
	io.WriteString(w, said.Routines(k.Annotations, report.Printable))
	return w.Err
}
