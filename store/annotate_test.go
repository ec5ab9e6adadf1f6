package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace/annotation"
)

// annotations draws a list that files may have.
func annotations(t *rapid.T, label string) (list []annotation.Annotation) {
	for _, name := range rapid.SliceOfN(rapid.StringN(1, 4, -1), 0, 4).Draw(t, label) {
		from := rapid.Int64Range(-1<<40, 1<<40).Draw(t, "from")
		list = annotation.With(list, annotation.Annotation{
			Kind: annotation.Kind(rapid.Byte().Draw(t, "kind")), Name: name, Class: rapid.StringN(0, 5, -1).Draw(t, "class"), From: from, To: from + rapid.Int64Range(0, 1<<62).Draw(t, "length"),
			Communicator: rapid.SampledFrom([]uint64{0, 7, annotation.NoCommunicator}).Draw(t, "communicator"),
			Fingerprint:  rapid.SampledFrom([][]byte{nil, {1, 2, 3}}).Draw(t, "fingerprint"), Text: rapid.StringN(0, 9, -1).Draw(t, "text"),
		})
	}
	return list
}

// A file whose annotations are replaced, by whatever way they came, is the file that had these from the beginning but for features of the header; all blocks before them are
// the same bytes, and the file is sound. Annotations are in its copies.
func TestAnnotate(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		src := tracegen.Ring(3, 20, 1)
		src.Meta().Annotations = annotations(t, "first")
		at := func(name string) string { return filepath.Join(dir, name) }
		write := func(name string) {
			w, err := store.Create(t.Context(), at(name), src.Meta(), store.Options{SliceEvents: 10, ID: [16]byte{9}})
			if err != nil {
				t.Fatal(err)
			}
			if err := store.Copy(t.Context(), w, src, nil); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		write("a.pando")
		second := annotations(t, "second")
		if err := store.Annotate(t.Context(), at("a.pando"), at("b.pando"), second, store.OutputOptions{}, nil); err != nil {
			t.Fatal(err)
		}
		first := src.Meta().Annotations
		src.Meta().Annotations = second
		write("c.pando")
		var files [3][]byte
		for i, name := range []string{"a.pando", "b.pando", "c.pando"} {
			var err error
			if files[i], err = os.ReadFile(at(name)); err != nil {
				t.Fatal(err)
			}
			r, err := store.Open(t.Context(), at(name), store.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want := second
			if i == 0 {
				want = first
			}
			got, copied := r.Meta().Annotations, r.All().Source().Meta().Annotations
			if len(got) != len(want) || len(want) > 0 && cmp.Diff(want, got) != "" || len(copied) != len(want) {
				t.Errorf("%s: %+v, want %+v", name, got, want)
			}
			v, err := r.Verify(t.Context(), store.VerifyOptions{Level: store.VerifyDeep})
			if err != nil || len(v.Problems) > 0 {
				t.Errorf("%s: %v, %v", name, v, err)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		const header, footer = 64, 72
		b, c := files[1], files[2]
		if len(b) != len(c) || !bytes.Equal(b[header:len(b)-footer], c[header:len(c)-footer]) {
			t.Errorf("%d bytes, and %d bytes of a file that had these annotations from the beginning", len(b), len(c))
		}
		for _, name := range []string{"a.pando", "b.pando", "c.pando"} {
			if err := os.Remove(at(name)); err != nil {
				t.Fatal(err)
			}
		}
	})
	bad := []annotation.Annotation{{Name: "b"}, {Name: "a"}}
	if err := store.Annotate(t.Context(), filepath.Join(dir, "a.pando"), filepath.Join(dir, "x.pando"), bad, store.OutputOptions{}, nil); err == nil {
		t.Error("a list out of order is written")
	}
}
