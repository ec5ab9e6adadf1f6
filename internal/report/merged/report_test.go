package merged_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/merge"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/merged"
	"github.com/pandotrace/pando/internal/stacks"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// trees returns the reports of all bundled traces and of those of PANDO_TRACES, with their files.
func trees(t *testing.T, check func(t *testing.T, r *merged.Report, file *store.Reader)) {
	names := tracetest.Distinct(t)
	if os.Getenv("PANDO_TRACES") != "" {
		names = slices.Compact(slices.Sorted(slices.Values(append(names, tracetest.Larger(t)...))))
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			file := stored.Trace(t, tracetest.Anchor(t, name))
			check(t, newReport(t, file), file)
		})
	}
}

func newReport(t *testing.T, files ...*store.Reader) *merged.Report {
	t.Helper()
	var sources []merge.Source
	for i, f := range files {
		sources = append(sources, merge.Source{Name: fmt.Sprintf("run%d.pando", i), Reader: f, Window: f.All()})
	}
	tree, err := merge.Of(t.Context(), sources, merge.Options{Level: align.Tree})
	if err != nil {
		t.Fatal(err)
	}
	return merged.New(tree)
}

// Sums of nodes are those of the profile by call path, and so are folded stacks; there a recursion has a path for each level.
func TestSums(t *testing.T) {
	trees(t, func(t *testing.T, r *merged.Report, file *store.Reader) {
		p, err := calltree.Of(file, file.All(), calltree.Options{})
		if err != nil {
			t.Fatal(err)
		}
		type sums struct{ calls, ticks uint64 }
		want, got := map[string]sums{}, map[string]sums{}
		for i := range p.Paths {
			at := &p.Paths[i]
			s := want[p.Names.Text(at.Name)]
			want[p.Names.Text(at.Name)] = sums{s.calls + at.Calls, s.ticks + at.Exclusive.Lo}
		}
		for _, n := range r.Nodes {
			s := got[n.RegionName]
			got[n.RegionName] = sums{s.calls + n.Count, s.ticks + n.Exclusive.SumTicks}
		}
		for name, s := range want {
			if got[strings.ToValidUTF8(name, "\ufffd")] != s {
				t.Errorf("%s: %+v, not %+v", name, got[name], s)
			}
		}
		var folded bytes.Buffer
		if err := stacks.WriteFolded(&folded, r.Stacks()); err != nil {
			t.Fatal(err)
		}
		all := uint64(0)
		for line := range strings.Lines(folded.String()) {
			var ns uint64
			if _, err := fmt.Sscan(line[strings.LastIndexByte(line, ' '):], &ns); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			all += ns
		}
		if off := int64(all) - int64(r.TimeNs); off > int64(len(r.Nodes)) || off < -int64(len(r.Nodes)) {
			t.Errorf("folded stacks add up to %d ns, not %d", all, r.TimeNs)
		}
	})
}

// All forms of the answer can be written, and read again where they are JSON; limits leave out as many as they say.
func TestForms(t *testing.T) {
	trees(t, func(t *testing.T, r *merged.Report, _ *store.Reader) {
		all := len(r.Nodes)
		set, err := r.Tables(merged.TableNames())
		if err != nil {
			t.Fatal(err)
		}
		var csv bytes.Buffer
		if _, err := set.Write(t.Context(), &csv, set.Tables[0], columnar.Options{Format: columnar.CSV}); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(csv.String(), "\n"); lines != all+1 {
			t.Errorf("%d lines of CSV for %d nodes", lines, all)
		}
		for _, write := range []func(io.Writer) error{
			func(w io.Writer) error { return r.Picture().SVG(w, 800) }, func(w io.Writer) error { return r.Picture().PNG(w, 800) },
			func(w io.Writer) error { return r.Write(w, report.Text, true) },
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil || b.Len() == 0 {
				t.Errorf("%d bytes, %v", b.Len(), err)
			}
		}
		r.Limit(merged.Limits{Depth: 3, Nodes: 7})
		if len(r.Nodes) > 7 || r.OmittedNodes != all-len(r.Nodes) || slices.ContainsFunc(r.Nodes, func(n merged.Node) bool { return n.Depth > 2 }) {
			t.Errorf("%d nodes of %d are left, %d left out", len(r.Nodes), all, r.OmittedNodes)
		}
		var text, document bytes.Buffer
		if err := r.Write(&text, report.Text, false); err != nil || !strings.Contains(text.String(), "CALL TREE") {
			t.Errorf("%v:\n%s", err, text.String())
		}
		var back struct {
			Nodes []struct{ Node int }
		}
		if err := r.Write(&document, report.JSON, false); err != nil || json.Unmarshal(document.Bytes(), &back) != nil || len(back.Nodes) != len(r.Nodes) {
			t.Errorf("%v:\n%s", err, document.String())
		}
	})
}

// Locations of several files are told apart, and a node that one file alone has says so.
func TestFiles(t *testing.T) {
	a := stored.Trace(t, tracetest.Anchor(t, "otf2.ep.S.32"))
	b := stored.Trace(t, tracetest.Anchor(t, "otf2.ez.hello.4.io"))
	r := newReport(t, a, b)
	seen := map[string]bool{}
	if err := r.Write(io.Discard, report.JSON, false); err != nil {
		t.Fatal(err)
	}
	for _, n := range r.Nodes {
		seen[n.On] = true
		if n.State == "all" != (n.On == "all") || n.State == "one" != (n.Locations == 1) {
			t.Errorf("%s: %s of %d, on %s", n.RegionName, n.State, n.Locations, n.On)
		}
	}
	if !seen["all of run0"] || !seen["all of run1"] {
		t.Errorf("nodes are on %v", seen)
	}
}
