package topologies

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strconv"

	"github.com/pandotrace/pando/analysis/pattern"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// Question is a window whose messages may tell where ranks are.
type Question struct {
	Trace  *report.Trace
	Window *store.Window
	// Name is the name of the topology.
	Name     string
	Progress trace.Progress
}

// Inferred is a topology that messages tell of.
type Inferred struct {
	Trace  string `json:"trace"`
	Output string `json:"output"`
	Topology
	// Messages and Bytes are the shares that are between neighbours, from 0 to 1.
	Messages float64 `json:"messages_explained"`
	Bytes    float64 `json:"bytes_explained"`

	// Records define the topology, and Property says that it is inferred.
	Records  []trace.Record `json:"-"`
	Property trace.Property `json:"-"`
}

// KnownError says that the trace has the topology already.
type KnownError struct{ Title string }

// Error names it.
func (e *KnownError) Error() string { return "the trace has this topology already: " + e.Title }

// Infer finds the topology that the messages of a window make. The error is a [pattern.NoGridError] if they make none, and a [KnownError] if it is defined already.
func Infer(ctx context.Context, q *Question) (*Inferred, error) {
	finder, err := pattern.NewFinder(q.Trace.Reader)
	if err != nil {
		return nil, err
	}
	found, err := finder.Find(ctx, q.Window, pattern.Options{Progress: q.Progress})
	if err != nil {
		return nil, err
	}
	t, err := finder.Topology(&found.Pattern)
	if err != nil {
		return nil, err
	}
	t.Name = q.Name
	defs, inferred := found.Definitions, topology.Inferred(q.Trace.Meta().Properties)
	for _, known := range topology.Of(defs) {
		if alike(&known, t) {
			return nil, &KnownError{known.Title()}
		}
	}
	o := &Inferred{Trace: q.Trace.Path, Messages: found.Messages, Bytes: found.Bytes}
	o.Records, t.ID = topology.Define(defs, t)
	inferred[t.ID] = true
	o.Topology, o.Property = topologyOf(defs, t), topology.InferredProperty(inferred)
	o.Inferred = true
	return o, nil
}

// alike reports whether two topologies say the same of the same ranks.
func alike(a, b *topology.Topology) bool {
	if a.Communicator != b.Communicator || len(a.Dimensions) != len(b.Dimensions) {
		return false
	}
	for d := range a.Dimensions {
		if a.Dimensions[d].Size != b.Dimensions[d].Size || a.Dimensions[d].Periodic != b.Dimensions[d].Periodic {
			return false
		}
	}
	return reflect.DeepEqual(places(a), places(b))
}

func places(t *topology.Topology) map[uint64][]int64 {
	at := map[uint64][]int64{}
	for i := range t.Members {
		at[t.Members[i].Rank] = t.Members[i].At
	}
	return at
}

// Write writes what was inferred and written, as text or JSON.
func (o *Inferred) Write(to io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(to, o)
	}
	percent := func(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }
	_, err := fmt.Fprintf(to, "%s → %s\n  inferred   %s: coordinates of %s of %s\n  explained  %s of the messages, %s of the bytes\n", report.Printable(o.Trace),
		report.Printable(o.Output), report.Cell(o.title), report.Plural(o.Ranks, "rank", "ranks"), report.Cell(o.CommunicatorName), percent(o.Messages), percent(o.Bytes))
	return err
}
