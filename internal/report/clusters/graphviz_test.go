package clusters_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/clusters"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// awkward are names that mean something to Graphviz.
var awkward = []string{`a"b`, `back\slash`, `new\nline`, `ends in \`, `<b>x</b>`, `c1 -> c2;`, `{|}`, `größe 平`, `&amp;`, `\N \G`, `//`, `#if`}

// drawing is what the test reads of a picture of Graphviz.
type drawing struct {
	Groups []struct {
		Class string   `xml:"class,attr"`
		Title string   `xml:"title"`
		Texts []string `xml:"text"`
	} `xml:"g>g"`
}

// TestGraphviz lets Graphviz draw a lattice: it shows the concepts with all names as they are, and the lines between them.
func TestGraphviz(t *testing.T) {
	tracetest.Oracle(t, "dot")
	src := tracegen.New(trace.Meta{Resolution: 1000})
	var regions []uint64
	for _, name := range awkward {
		regions = append(regions, src.Region(name))
	}
	for l := range awkward { // each has the first regions, and one of its own
		b := src.Location(uint64(l), src.Process(fmt.Sprint("process ", l)))
		for i, region := range regions {
			if i < l/2 || i == l {
				b.Append(trace.KindEnter, int64(2*i), region)
				b.Append(trace.KindLeave, int64(2*i+1), region)
			}
		}
	}
	r := stored.Source(t, src, store.Options{})
	f, err := report.NewTrace(r, "run.pando")
	if err != nil {
		t.Fatal(err)
	}
	from := []clusters.Source{{Trace: f, Window: r.All()}}
	c, err := clusters.Find(t.Context(), from, cluster.Options{By: cluster.Functions})
	if err != nil {
		t.Fatal(err)
	}
	l, err := clusters.NewLattice(t.Context(), c, from, 0)
	if err != nil {
		t.Fatal(err)
	}
	var dot, out, complaints bytes.Buffer
	if err := l.WriteDOT(&dot); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("dot", "-Tsvg")
	run.Stdin, run.Stdout, run.Stderr = &dot, &out, &complaints
	if err := run.Run(); err != nil || complaints.Len() > 0 {
		t.Fatalf("%v: %s\n%s", err, complaints.Bytes(), dot.Bytes())
	}
	var d drawing
	decoder := xml.NewDecoder(&out)
	decoder.Strict = false
	decoder.Entity = xml.HTMLEntity
	if err := decoder.Decode(&d); err != nil {
		t.Fatal(err)
	}
	checkDrawing(t, l, &d)
}

// checkDrawing holds a picture against the lattice.
func checkDrawing(t *testing.T, l *clusters.LatticeReport, d *drawing) {
	var lines, wantLines []string
	texts := map[string][]string{}
	for _, g := range d.Groups {
		switch g.Class {
		case "node":
			texts[g.Title] = g.Texts
		case "edge":
			lines = append(lines, g.Title)
		}
	}
	names := 0
	for i := range l.Concepts {
		c := &l.Concepts[i]
		for _, name := range c.Own.Functions {
			names++
			if got := texts[fmt.Sprint("c", c.Number)]; !slices.ContainsFunc(got, func(text string) bool { return strings.ReplaceAll(text, "\u00a0", " ") == name }) {
				t.Errorf("concept %d has %q, not %q", c.Number, got, name)
			}
		}
		for _, n := range c.Below {
			wantLines = append(wantLines, fmt.Sprintf("c%d->c%d", c.Number, n))
		}
	}
	slices.Sort(lines)
	slices.Sort(wantLines)
	if names != len(awkward) || len(texts) != len(l.Concepts) || len(wantLines) < 10 || !slices.Equal(lines, wantLines) {
		t.Errorf("%d names, %d boxes, lines %q, want %d, %d and %q", names, len(texts), lines, len(awkward), len(l.Concepts), wantLines)
	}
}
