package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/equal"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// laterRun is the trace of a run that did the same, some ticks later.
type laterRun struct {
	trace.Source
	ticks uint64
}

// Meta implements trace.Source.
func (l laterRun) Meta() *trace.Meta {
	m := *l.Source.Meta()
	m.Epoch += l.ticks
	return &m
}

// Definitions implements trace.Source.
func (l laterRun) Definitions(from int) ([]trace.Record, error) {
	log, err := l.Source.Definitions(from)
	log = slices.Clone(log)
	for i := range log {
		if log[i].Kind == trace.KindClockProperties {
			log[i].Words = slices.Clone(log[i].Words)
			log[i].Words[1] += l.ticks
			log[i].Words[3] = 1_700_000_000_000_000_000
		}
	}
	return log, err
}

// Open implements trace.Source.
func (l laterRun) Open(id trace.StreamID) (trace.Stream, error) {
	s, err := l.Source.Open(id)
	return laterStream{s, l.ticks}, err
}

type laterStream struct {
	trace.Stream
	ticks uint64
}

// Next implements trace.Stream. The times of clock measurements are in ticks of the source.
func (l laterStream) Next(b *trace.Batch, limit int) error {
	err := l.Stream.Next(b, limit)
	for i, k := range b.Kinds {
		if k == trace.KindClockOffset {
			b.Fields(i)[0] += l.ticks
		}
	}
	return err
}

// reports returns what pando diff says of two files, as JSON.
func reports(t *testing.T, a, b string, flags ...string) (r equal.Report) {
	t.Helper()
	out, stderr, code := pando(append([]string{"diff", a, b, "--json"}, flags...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil || (code == 0) != r.Equal {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, stderr)
	}
	return r
}

// Another run of the same has one difference, in one line; as they are, all events differ.
func TestDiffOfRuns(t *testing.T) {
	src, err := convert.Open(t.Context(), tracetest.Anchor(t, "otf2.mg.S.8.snapmark"), convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	later := laterRun{src, 3_200_000_000}
	a, b := converted(t, "otf2.mg.S.8.snapmark"), filepath.Join(t.TempDir(), "later.pando")
	w, err := store.Create(t.Context(), b, later.Meta(), store.Options{})
	if err == nil {
		err = errors.Join(store.Copy(t.Context(), w, later, nil), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	out, _, code := pando("diff", a, b)
	if code != 1 || strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, "start: A began ") || !strings.Contains(out, "--same-start") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if r := reports(t, a, b); r.Start == nil || r.Start.B.Tick-r.Start.A.Tick != later.ticks || len(r.Meta)+len(r.Parts) > 0 {
		t.Errorf("%+v", r)
	}
	var differ, events uint64
	for _, p := range reports(t, a, b, "--same-start").Parts {
		for _, k := range p.Kinds {
			if p.Name == "events" {
				differ += k.OnlyA + k.Changed
			}
		}
	}
	f, err := store.Open(t.Context(), a, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if events = f.Info().Events; differ != events || events < 10_000 {
		t.Errorf("%d of %d events differ", differ, events)
	}
	if _, _, code := pando("diff", a, a); code != 0 {
		t.Error("a trace is not equal to itself")
	}
}

// Two real runs of one program with nothing changed differ in times, and in what names the run.
func TestDiffOfRealRuns(t *testing.T) {
	larger := tracetest.Larger(t)
	const first, second = "otf2.planted.heat.a", "otf2.planted.heat.r"
	if !slices.Contains(larger, first) || !slices.Contains(larger, second) {
		t.Skipf("%s and %s are not among the larger traces", first, second)
	}
	r := reports(t, tracetest.Anchor(t, first), tracetest.Anchor(t, second))
	moved := uint64(0)
	for _, p := range r.Parts {
		for _, k := range p.Kinds {
			switch {
			case p.Name == "events" && k.OnlyA+k.OnlyB+k.Changed == 0:
				moved += k.Moved
			case p.Name == "definitions" && (k.Name == "ClockProperties" || k.Name == "LocationGroupProperty"):
			default:
				t.Errorf("%s %v: %+v", p.Name, *p.Location, k)
			}
		}
	}
	if r.Start == nil || len(r.Only) > 0 || r.Definitions < 200 || moved < 66_000 || moved > r.Records {
		t.Errorf("%d of %d records at other times, %d definitions, start %+v", moved, r.Records, r.Definitions, r.Start)
	}
}
