package shapes

import (
	"context"
	"fmt"
	"io"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/analysis/shapes"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Question is a window whose calls are divided into classes.
type Question struct {
	Trace  *report.Trace
	Window *store.Window
	shapes.Options
}

// Report says which classes there are. Instants are since the trace's first event.
type Report struct {
	Trace          string `json:"trace"`
	TicksPerSecond uint64 `json:"ticks_per_second"`
	// Compared says by what calls are compared: "all calls inside" unless there are too many classes.
	Compared string `json:"compared_by"`
	// Cut is the number of calls in no class: the window cuts them, or they are never left.
	Cut     uint64  `json:"cut_calls"`
	Classes []Class `json:"classes"`
	Unusual []Call  `json:"unusual"`

	of     *report.Trace
	window *store.Window
}

// Class is calls that are alike.
type Class struct {
	Fingerprint string `json:"fingerprint"`
	Region      string `json:"region_name"`
	// Structure is the region with the calls inside in parentheses, cut behind 200 bytes.
	Structure string `json:"structure"`
	Depth     int    `json:"depth"`
	Calls     uint64 `json:"calls"`
	Locations int    `json:"locations"`
	// Measured is the number of calls that quantiles and unusual calls are of.
	Measured int   `json:"measured_calls"`
	Unusual  int   `json:"unusual_calls"`
	Waits    bool  `json:"waits"`
	Duration Times `json:"duration"`
	Own      Times `json:"exclusive"`
	First    int64 `json:"first_ticks"`
	// FirstLocation is the id of the location of the first call.
	FirstLocation uint64 `json:"first_location"`
}

// Times are those of the calls of a class, in ticks. MAD is the median absolute deviation.
type Times struct {
	Sum     trace.Sum `json:"sum_ticks"`
	Least   int64     `json:"least_ticks"`
	Median  int64     `json:"median_ticks"`
	P90     int64     `json:"p90_ticks"`
	P99     int64     `json:"p99_ticks"`
	Largest int64     `json:"largest_ticks"`
	MAD     int64     `json:"mad_ticks"`
}

// Call is a call that is unusual.
type Call struct {
	Kind       string `json:"kind"`
	Location   string `json:"location_label"`
	LocationID uint64 `json:"location"`
	Event      uint64 `json:"event"`
	Region     string `json:"region_name"`
	// Path are the calls around it and itself, the outermost region first.
	Path       []string `json:"path"`
	StartNs    int64    `json:"start_ns"`
	Start      int64    `json:"start_ticks"`
	DurationNs int64    `json:"duration_ns"`
	Duration   int64    `json:"duration_ticks"`
	OwnNs      int64    `json:"exclusive_ns"`
	Own        int64    `json:"exclusive_ticks"`
	// Usual is the median of the exclusive times that the call is compared with.
	UsualNs     int64   `json:"usual_ns"`
	Usual       int64   `json:"usual_ticks"`
	Z           float64 `json:"z"`
	Fingerprint string  `json:"fingerprint"` // of its class
}

// structureBytes is the length at which structures are cut.
const structureBytes = 200

// Find divides the calls into classes.
func Find(ctx context.Context, q *Question) (*Report, error) {
	a, err := shapes.Of(ctx, q.Trace.Reader, q.Window, q.Options)
	if err != nil {
		return nil, err
	}
	first := q.Trace.Info().First
	r := &Report{Trace: q.Trace.Path, TicksPerSecond: q.Trace.Meta().Resolution, Compared: a.Level.String(), Cut: a.Cut, Classes: make([]Class, len(a.Classes)), Unusual: []Call{}, of: q.Trace, window: q.Window}
	for i := range a.Classes {
		c := &a.Classes[i]
		r.Classes[i] = Class{
			Fingerprint: print(c), Region: c.Region, Structure: a.Structure(i, structureBytes), Depth: c.Depth, Calls: c.Calls, Locations: c.Locations,
			Measured: c.Measured, Unusual: c.Unusual, Waits: c.Waits, Duration: Times(c.Duration), Own: Times(c.Own), First: c.First.Start - first, FirstLocation: c.First.Location,
		}
	}
	for i := range a.Unusual {
		u := &a.Unusual[i]
		path, err := pathOf(ctx, q.Trace, &u.Call)
		if err != nil {
			return nil, err
		}
		r.Unusual = append(r.Unusual, callOf(q.Trace, u, &a.Classes[u.Class], path))
	}
	return r, nil
}

// callOf describes a call, around which are those of a path.
func callOf(t *report.Trace, u *shapes.UnusualCall, c *shapes.Class, path []string) Call {
	ns := func(ticks int64) int64 { return trace.Nanoseconds(ticks, t.Meta().Resolution) }
	start, took := u.Start-t.Info().First, u.End-u.Start
	return Call{
		Kind: u.Kind.String(), Location: t.Label(u.Location), LocationID: u.Location, Event: u.Event, Region: c.Region, Path: append(path, c.Region),
		StartNs: ns(start), Start: start, DurationNs: ns(took), Duration: took, OwnNs: ns(u.Own), Own: u.Own, UsualNs: ns(u.Usual), Usual: u.Usual,
		Z: u.Z, Fingerprint: print(c),
	}
}

func print(c *shapes.Class) string { return fmt.Sprintf("%016x", c.Fingerprint) }

// pathOf returns the regions of the calls around a call.
func pathOf(ctx context.Context, t *report.Trace, c *shapes.Call) (path []string, err error) {
	defs, err := t.Reader.Definitions()
	if err != nil {
		return nil, err
	}
	around, err := check.Around(t.Reader.WithContext(ctx), defs, c.Location, c.Start, c.Event)
	for _, region := range around {
		path = append(path, defs.RegionName(region))
	}
	return path, err
}

// Write writes the classes as text or JSON; as text, a number of them, 0 for all.
func (r *Report) Write(w io.Writer, f report.Format, limit int) error {
	if f == report.JSON {
		return report.WriteJSON(w, r)
	}
	return r.writeText(w, limit)
}
