package serve

import (
	"bytes"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/comparison"
	"github.com/pandotrace/pando/internal/report/comparison/tables"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// TestCompare holds comparisons over HTTP against those made here, as JSON and as tables, whole and of windows.
func TestCompare(t *testing.T) {
	base, dir, _ := serving(t, Options{})
	written(t, dir, "longer", tracegen.Ring(4, 1100, 2))
	q := comparison.Question{Flags: comparison.Flags{Match: "rank", Level: "tree", With: []string{comparison.WithMessages}}}
	for i, name := range []string{"ring", "longer"} {
		r, err := store.Open(t.Context(), filepath.Join(dir, name+extension), store.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		first := r.Info().First
		q.Sides[i] = contrast.Side{Name: name, Reader: r, Window: r.Window(first+int64(i)*1000, first+int64(i)*1000+50_000_000)}
	}
	const query = "?from=a:0,b:1us&to=%2B50ms&with=messages"
	c, err := q.Compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := comparison.New(c).Write(&want, report.JSON); err != nil {
		t.Fatal(err)
	}
	status, _, got := get(t, base+"/v1/traces/ring/compare/longer"+query)
	if status != http.StatusOK || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%d, %d bytes, want %d: %.300s\n%.300s", status, len(got), want.Len(), got, want.Bytes())
	}
	for _, name := range tables.Names() {
		set, err := tables.Of(t.Context(), &q, []string{name})
		if err != nil {
			t.Fatal(err)
		}
		want.Reset()
		if _, err := set.Write(t.Context(), &want, set.Tables[0], columnar.Options{Format: columnar.CSV}); err != nil {
			t.Fatal(err)
		}
		status, _, got := get(t, base+"/v1/traces/ring/compare/longer/"+name+query+"&format=csv")
		if status != http.StatusOK || !bytes.Equal(got, want.Bytes()) || bytes.Count(got, []byte("\n")) < 2 {
			t.Errorf("%s: %d, %d bytes, want %d", name, status, len(got), want.Len())
		}
	}
	for _, wrong := range []string{"?columns=nosuch", "?limit=0", "?from=b:nonsense", "?counter=nosuch", "?rename=a", "?with=nosuch"} {
		if status, _, body := get(t, base+"/v1/traces/ring/compare/longer/skew"+wrong); status != http.StatusBadRequest {
			t.Errorf("%s: %d, %.100s", wrong, status, body)
		}
	}
}
