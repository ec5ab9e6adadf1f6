package chrome

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/pandotrace/pando/store"
)

// cost is bytes of memory: in use when nearly all events have been written, the least of many samples, as what is under way just then comes and
// goes; and asked for from the begin to the end.
type cost struct{ kept, asked int64 }

// settled is memory in use when the writer has nothing left to do: it is given time to finish its slice, and pools are empty after two collections. The least of some times counts.
func settled() int64 {
	var now runtime.MemStats
	least := int64(math.MaxInt64)
	for range 8 {
		time.Sleep(10 * time.Millisecond)
		runtime.GC()
		runtime.ReadMemStats(&now)
		least = min(least, int64(now.HeapAlloc))
	}
	return least
}

// costOf converts n slices, each with a name or a thread of its own.
func costOf(t *testing.T, n int, threads bool) cost {
	t.Helper()
	var text bytes.Buffer
	text.WriteString("[")
	for i := range n {
		name, tid := i, 1
		if threads {
			name, tid = 0, i
		}
		fmt.Fprintf(&text, `{"ph":"X","name":"function%07d","pid":1,"tid":%d,"ts":%d,"dur":5},`+"\n", name, tid, 10*i)
	}
	text.WriteString("{}]")
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	a, err := openText(text.Bytes(), Options{Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.NewWriter(t.Context(), io.Discard, a.Meta(), store.Options{Workers: 1, TempDir: t.TempDir(), SliceEvents: 4096, Fanout: 4, Memory: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	kept, next := int64(math.MaxInt64), 2*n*7/8
	if err := store.Copy(t.Context(), w, a, func(events, _ int64) {
		if int(events) >= next {
			next = int(events) + n/32
			kept = min(kept, settled()-int64(before.HeapAlloc))
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&now)
	runtime.KeepAlive(text.Bytes())
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	return cost{kept, int64(now.TotalAlloc - before.TotalAlloc)}
}

// A name, and a thread, costs the same bytes however many there are. SECURITY.md and docs/performance.md state the bounds.
func TestCostOfNamesAndThreads(t *testing.T) {
	costOf(t, 1<<14, false) // what the process keeps once, such as encoders, belongs to no name
	for _, c := range []struct {
		what        string
		threads     bool
		n           int
		kept, asked int64 // bytes for each more, at most
	}{{"names", false, 1 << 15, 300, 11_000}, {"threads", true, 1 << 14, 800, 20_000}} {
		once, twice := costOf(t, c.n, c.threads), costOf(t, 2*c.n, c.threads)
		kept, asked := (twice.kept-once.kept)/int64(c.n), (twice.asked-once.asked)/int64(c.n)
		t.Logf("%s: %d bytes for each of %d, %d asked for; each of as many more keeps %d, and asks for %d", c.what, once.kept/int64(c.n), c.n, once.asked/int64(c.n), kept, asked)
		if kept > c.kept || asked > c.asked {
			t.Errorf("each of %d more %s keeps %d bytes, and asks for %d; %d and %d are allowed", c.n, c.what, kept, asked, c.kept, c.asked)
		}
	}
}
