package clusters_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/clusters"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/internal/tracetest/stored"
)

var rewrite = flag.Bool("rewrite", false, "write the outputs of lattices into testdata")

// tasks is a program of a manager, five fast and six slow workers.
func tasks(t *testing.T) []clusters.Source {
	t.Helper()
	r := stored.Trace(t, "../../../examples/tasks.tar.zst")
	f, err := report.NewTrace(r, "tasks.pando")
	if err != nil {
		t.Fatal(err)
	}
	return []clusters.Source{{Trace: f, Window: r.All()}}
}

func find(t *testing.T, from []clusters.Source, opt cluster.Options) *cluster.Clusters {
	t.Helper()
	c, err := clusters.Find(t.Context(), from, opt)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// JSON has all locations once, in groups whose rules name them, and what each group alone has.
func TestJSON(t *testing.T) {
	from := tasks(t)
	var text bytes.Buffer
	if err := clusters.New(find(t, from, cluster.Options{By: cluster.Pairs}), from).Write(&text, report.JSON); err != nil {
		t.Fatal(err)
	}
	var got clusters.Report
	if err := json.Unmarshal(text.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var ranks [][]int64
	for i, g := range got.Groups {
		var list []int64
		for _, m := range g.Members {
			list = append(list, *m.Rank)
		}
		ranks = append(ranks, list)
		if g.Number != i+1 || len(g.Rule) != 1 || g.Calls != nil || *g.Rule[0].Ranks.First != list[0] || *g.Rule[0].Ranks.Last != list[len(list)-1] {
			t.Errorf("%+v", g)
		}
	}
	if fmt.Sprint(ranks) != "[[6 7 8 9 10 11] [1 2 3 4 5] [0]]" || got.Locations != 12 || got.Threshold != nil {
		t.Errorf("groups %v of %d locations", ranks, got.Locations)
	}
	if only := got.Groups[1].Only; !slices.Equal(only.Functions, []string{"kernel_vector"}) || len(only.Pairs) != 1 || *only.Pairs[0].Caller != "process" {
		t.Errorf("only the second group has %+v", only)
	}
	if lacks := got.Groups[2].Lacks; !slices.Equal(lacks.Functions, []string{"ask", "load", "process", "worker"}) {
		t.Errorf("the third group lacks %+v", lacks)
	}
}

// Text tells about few groups, and how many more there are.
func TestText(t *testing.T) {
	from := tasks(t)
	r := clusters.New(find(t, from, cluster.Options{By: cluster.Tree}), from)
	r.Limit = 3
	var text bytes.Buffer
	if err := r.Write(&text, report.Text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"tasks.pando: 12 locations with calls, 12 groups by tree: they make the same calls in the same order\n", "\nand 9 more groups of 9 locations (--limit)\n",
		"only group 1: choose, manager, record; ", "not group 1: ask, load, process, worker\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q lacks %q", text.String(), want)
		}
	}
}

// Lattices as text, for Graphviz and as JSON are what they were.
func TestLattice(t *testing.T) {
	from := tasks(t)
	l, err := clusters.NewLattice(t.Context(), find(t, from, cluster.Options{By: cluster.Pairs}), from, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(b *bytes.Buffer) error{
		"lattice.txt":  func(b *bytes.Buffer) error { return l.Write(b, report.Text) },
		"lattice.dot":  func(b *bytes.Buffer) error { return l.WriteDOT(b) },
		"lattice.json": func(b *bytes.Buffer) error { return l.Write(b, report.JSON) },
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", name)
		if *rewrite {
			if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s is\n%s", name, got.Bytes())
		}
	}
}

// The tables have a row for each location, and for each concept.
func TestTables(t *testing.T) {
	from := tasks(t)
	set, err := clusters.Analysis.Make(t.Context(), tables.Question{Trace: from[0].Trace, Window: from[0].Window}, clusters.TableNames())
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		lines int
		has   string
	}{{13, "tasks.pando,1,rank 1,1,2,ranks 1-5,true\n"}, {7, "5,rank 0,1,10,1,\"batch > manager\nmanager > MPI_Recv\nmanager > MPI_Send\nmanager > choose\nmanager > record\",1,6\n"}} {
		var text bytes.Buffer
		f, err := set.Write(t.Context(), &text, set.Tables[i], columnar.Options{Format: columnar.CSV})
		if err != nil {
			t.Fatal(err)
		}
		if int(f.Rows) != want.lines-1 || !strings.Contains(text.String(), want.has) {
			t.Errorf("%d rows:\n%s", f.Rows, text.String())
		}
	}
	if _, err := clusters.Analysis.Make(t.Context(), tables.Question{Trace: from[0].Trace, Window: from[0].Window}, []string{"clustres"}); err == nil || !strings.Contains(err.Error(), `"clusters"`) {
		t.Errorf("a table that is none: %v", err)
	}
}
