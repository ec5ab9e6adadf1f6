package columnar

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
)

// TestColumns holds tables with chosen columns and a limit, of every format, against the first rows of the whole table.
func TestColumns(t *testing.T) {
	tables := []string{"calls", "messages", "events", "collectives", "metrics", "locations", "regions"}
	src := tracegen.Random(3, tracegen.RandomKnobs(3))
	r := stored(t, src)
	dice := rand.New(rand.NewPCG(1, 2))
	cut := 0
	for _, name := range tables {
		for _, f := range Formats() {
			whole := exported(t, r, name, Options{Format: f})
			n := len(whole.rows)
			if n == 0 {
				continue
			}
			opt := Options{Format: f, Limit: int64(1 + dice.IntN(n+1))}
			places := dice.Perm(len(whole.columns))[:1+dice.IntN(len(whole.columns))]
			want := &contents{}
			for _, at := range places {
				opt.Columns = append(opt.Columns, whole.columns[at])
			}
			want.columns = opt.Columns
			for _, row := range whole.rows[:min(n, int(opt.Limit))] {
				var cells []string
				for _, at := range places {
					cells = append(cells, row[at])
				}
				want.rows = append(want.rows, cells)
			}
			if int(opt.Limit) < n {
				cut++
			}
			opt.Tables, opt.Dir = []string{name}, t.TempDir()
			files := export(t, r, opt)
			got := read(t, files[0])
			same(t, fmt.Sprintf("%s as %s, columns %q, limit %d", name, f, opt.Columns, opt.Limit), got, want)
			if more := int(opt.Limit) < n; files[0].More != more {
				t.Errorf("%s, %d of %d rows: more is %v", name, opt.Limit, n, files[0].More)
			}
		}
	}
	if cut < 3 {
		t.Errorf("only %d tables were cut", cut)
	}
}

// TestLimitReadsLittle: the slices behind the last row are not decoded.
func TestLimitReadsLittle(t *testing.T) {
	r := stored(t, tracegen.Ring(4, 5000, 1))
	x, err := New(r)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	f, err := x.Write(t.Context(), &out, "calls", Options{Format: CSV, Whole: true, Limit: 10, Columns: []string{"name", "start_ns"}})
	if err != nil || f.Rows != 10 || !f.More || f.Bytes != int64(out.Len()) {
		t.Errorf("%+v, %v", f, err)
	}
	if first, _, _ := strings.Cut(out.String(), "\n"); first != "name,start_ns" {
		t.Errorf("the columns are %s", first)
	}
	if read, all := r.ReadStats().Events, int64(r.Info().Events); read == 0 || read > all/2 {
		t.Errorf("%d of %d events were decoded for 10 rows", read, all)
	}
}

// TestWrongColumns: a wrong choice of columns is an error that lists the columns of the table.
func TestWrongColumns(t *testing.T) {
	x, err := New(stored(t, tracegen.Ring(2, 10, 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, columns := range [][]string{{"strat_ns"}, {"start_ns", "name", "start_ns"}, {""}, {"start_ns "}} {
		var wrong *ColumnError
		if err := x.Check("calls", columns); !errors.As(err, &wrong) || !slices.Contains(wrong.Columns, "start_ns") || wrong.Name != columns[len(columns)-1] {
			t.Errorf("%q: %v", columns, err)
		}
	}
	if err := x.Check("calls", []string{"name", "call"}); err != nil {
		t.Error(err)
	}
	for _, opt := range []Options{{Columns: []string{}}, {Limit: -1}, {Period: 1, Limit: 1}, {Period: 1, Columns: []string{"name"}}} {
		opt.Format, opt.Whole, opt.Dir = CSV, true, t.TempDir()
		if _, err := x.Export(t.Context(), opt); err == nil {
			t.Errorf("%+v was accepted", opt)
		}
	}
}
