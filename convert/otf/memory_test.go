package otf

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// repeated is a compressed text that repeats a piece n times.
func repeated(head, piece string, n int, tail string) string {
	return compressed(head+strings.Repeat(piece, n)+tail, 1<<20, false)
}

// heap returns the bytes on the heap that are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMemory: whatever little files become however much text, reading takes bounded memory.
func TestMemory(t *testing.T) {
	const most = 24 << 20 // bytes
	const n = 2 << 20     // repetitions, of some bytes each
	tests := []struct {
		name, events string
		err          error
		records      int
	}{
		{"calls", repeated("5\n*1\n", "E1\nL\n", n, ""), nil, 2 * n},
		{"open calls", repeated("5\n*1\n", "E1\n", n, ""), nil, n},
		{"begun collective operations", repeated("5\n*1\n", "COPB1H7C64RT0S0R0\n", n/8, ""), nil, n / 4},
		{"attributes that belong to nothing", repeated("5\n*1\n", "K1Y6V5\n*2\n*1\n", n/2, "E1\n"), nil, 1},
		{"records of the other process", repeated("5\n*2\n", "E1\nL\n", n, "*1\nE1\n"), nil, 1},
		{"blank lines", repeated("5\n*1\n", "\n \n", n, "E1\n"), nil, 1},
		{"one line", repeated("5\n*1\n#\"", "abc", 4*n, "\"\n"), trace.ErrCorrupt, 0},
		{"too many attributes", repeated("5\n*1\n", "K1Y6V5\nK2Y6V5\n", 1, strings.Repeat("K3YbV00L1\n", 4)+"E1\n"), nil, 2},
	}
	for _, tt := range tests {
		files := map[string][]byte{".0.def": []byte(head), ".1.events.z": []byte(tt.events)}
		a, err := memory("1:1,2\n", files, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range streamsOf(a, trace.StreamEvents) { // the second one waits
			if s, err := a.Open(id); err != nil {
				t.Fatal(err)
			} else if id.Location == 1 {
				before := heap()
				records, peak, err := drained(s)
				if records != tt.records || !errors.Is(err, tt.err) {
					t.Errorf("%s: %d records, %v", tt.name, records, err)
				}
				if peak > before+most {
					t.Errorf("%s: %d bytes of compressed text took %d of memory", tt.name, len(tt.events), peak-before)
				}
			}
		}
	}
}

// drained reads a stream to its end, and looks at the memory now and then.
func drained(s trace.Stream) (records int, peak uint64, err error) {
	var b trace.Batch
	for i := 0; ; i++ {
		err := s.Next(&b, 4096)
		if i%500 == 0 || err != nil {
			peak = max(peak, heap())
		}
		if err == io.EOF {
			return records, peak, nil
		}
		if err != nil {
			return records, peak, err
		}
		records += b.Len()
	}
}
