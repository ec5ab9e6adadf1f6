package chrome

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"

	"github.com/pandotrace/pando/convert/chrome/internal/read"
	"github.com/pandotrace/pando/trace"
)

// TestConcurrentStreams reads all threads of a file at once, each twice, from memory and from disk.
func TestConcurrentStreams(t *testing.T) {
	text := programText(30_000)
	for _, memory := range []int64{1, 1 << 30} {
		a, err := openText(text, Options{Memory: memory, TempDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if onDisk := len(a.Sorted.Runs) > 0; onDisk != (memory == 1) {
			t.Errorf("sorted on disk: %v", onDisk)
		}
		streams := a.Streams()
		found := make([]string, 2*len(streams))
		var all sync.WaitGroup
		for i := range found {
			all.Go(func() { found[i] = sums(a, streams[i/2].StreamID) })
		}
		all.Wait()
		for i, s := range streams {
			want := fmt.Sprintf("%d records, %v", s.Records, io.EOF)
			if found[2*i] != want || found[2*i+1] != want || s.Records == 0 {
				t.Errorf("location %d: %s and %s, want %s", s.Location, found[2*i], found[2*i+1], want)
			}
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

// sums counts the records of a stream and says how it ends.
func sums(a *read.Archive, id trace.StreamID) string {
	s, err := a.Open(id)
	if err != nil {
		return err.Error()
	}
	n := 0
	var b trace.Batch
	for err = s.Next(&b, 100); err == nil; err = s.Next(&b, 100) {
		n += b.Len()
	}
	if !errors.Is(err, io.EOF) {
		return err.Error()
	}
	return fmt.Sprintf("%d records, %v", n, err)
}
