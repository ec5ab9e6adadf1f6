package columnar

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/internal/tracegen"
)

// Files of a trace whose times are within a bound say so in their metadata, those of other traces do not.
func TestBoundOfTimes(t *testing.T) {
	src := tracegen.Ring(2, 5, 1)
	coarse, err := edit.Coarsen(src, edit.Bounds{Times: 250})
	if err != nil {
		t.Fatal(err)
	}
	key := []byte("pando.max_error_ns")
	for _, f := range []Format{Parquet, Arrow} {
		for _, file := range export(t, stored(t, coarse), Options{Format: f, Tables: []string{"calls"}}) {
			if b, err := os.ReadFile(file.Path); err != nil || !bytes.Contains(b, key) {
				t.Errorf("%s: no bound, %v", file.Path, err)
			}
		}
		for _, file := range export(t, stored(t, src), Options{Format: f, Tables: []string{"calls"}}) {
			if b, err := os.ReadFile(file.Path); err != nil || bytes.Contains(b, key) {
				t.Errorf("%s: a bound, %v", file.Path, err)
			}
		}
	}
	list := about(stored(t, coarse))
	want := 250e9 / float64(src.Meta().Resolution)
	if last := list[len(list)-1]; last.Name != string(key) || last.Value != fmt.Sprint(want) {
		t.Errorf("%+v, want %g", last, want)
	}
}
