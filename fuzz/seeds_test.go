package fuzz

import (
	"bytes"
	"runtime/metrics"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/spec/vectors"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// write copies a source into a file in memory. The file's id is always the same.
func write(t testing.TB, src trace.Source, opt store.Options) []byte {
	t.Helper()
	opt.ID = format.FileID{'f', 'u', 'z', 'z'}
	var file bytes.Buffer
	w, err := store.NewWriter(t.Context(), &file, src.Meta(), opt)
	if err == nil {
		err = store.Copy(t.Context(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// smallTraces are traces that have everything a file can hold. The last ones are only worth one large slice.
func smallTraces() (divided, whole []trace.Source) {
	k := tracegen.Knobs{
		Processes: 2, Threads: 2, Length: 40, Regions: 3, Messages: 30, Talk: 0.3, Step: 100, Lattice: 1, SameTime: 0.1, Mismatch: 0.1,
		Recursion: 4, Repeat: 4, Any: 0.1, Attributes: 0.1, Residuals: 0.1, Contexts: true, Auxiliary: true, Late: true,
		Private: true, Undeclared: true, IdleThreads: true,
	}
	plain := tracegen.Knobs{Processes: 3, Threads: 1, Length: 150, Regions: 4, Messages: 60, Talk: 0.3, Step: 50, Lattice: 10, Repeat: 3}
	divided = []trace.Source{tracegen.Random(1, k), tracegen.Random(2, plain), tracegen.Ring(3, 8, 1), tracegen.New(trace.Meta{})}
	return divided, append(divided, vectors.DeepTrace())
}

// smallFiles returns small files without compression: their bytes are the ones that parsers see.
func smallFiles(t testing.TB) [][]byte {
	t.Helper()
	var all [][]byte
	kinds := map[format.BlockKind]bool{}
	add := func(src trace.Source, opt store.Options) {
		file, err := damage.Plain(write(t, src, opt))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range damage.Blocks(file) {
			kinds[b.Kind] = true
		}
		all = append(all, file)
	}
	divided, whole := smallTraces()
	for _, src := range divided {
		add(src, store.Options{SliceEvents: 30, Fanout: 2, EpochSlices: 4, LaneLocations: 2, PageLocations: 2, Hashes: true})
	}
	for _, src := range whole {
		add(src, store.Options{})
	}
	for k := format.BlockMeta; k <= format.BlockHashes; k++ {
		if !kinds[k] && k != format.BlockPostings {
			t.Fatalf("no seed has a %s", k)
		}
	}
	return all
}

// allocated returns the number of bytes allocated since the program began.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
