package store

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/index"
)

// What was added to logs comes back, however much of it waits in a file, and logs that were cleared begin anew.
func TestLogs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		room := &logs{most: rapid.Int64Range(0, 1<<16).Draw(t, "memory")}
		defer room.spool.close()
		logs, want := make([]log, 3), make([][]byte, 3)
		for i := range logs {
			logs[i].of = room
		}
		for range rapid.IntRange(0, 3000).Draw(t, "entries") {
			i, entry := rand.IntN(3), bytes.Repeat([]byte{byte(rand.Uint32())}, rand.IntN(logEntryBytes+1))
			logs[i].end(append(logs[i].tail, entry...))
			want[i] = append(want[i], entry...)
			if rand.IntN(500) == 0 {
				logs[i].clear()
				want[i] = nil
			}
		}
		for i := range logs {
			var got []byte
			if err := logs[i].each(func(b []byte) { got = append(got, b...) }); err != nil || !bytes.Equal(got, want[i]) {
				t.Fatalf("log %d: %d bytes (%v), want %d", i, len(got), err, len(want[i]))
			}
			logs[i].clear()
		}
		if room.held != 0 {
			t.Fatalf("%d bytes are held of no log", room.held)
		}
	})
}

// A file of logs does not grow with what went through it.
func TestLogsUseRoomAgain(t *testing.T) {
	room := &logs{}
	defer room.spool.close()
	l := log{of: room}
	for range 100 {
		for range 1000 {
			l.end(append(l.tail, make([]byte, 100)...))
		}
		l.clear()
	}
	if most := int64(1000*100 + 2*logBlockBytes); room.spool.size > most {
		t.Errorf("%d bytes in the file, at most %d were needed at a time", room.spool.size, most)
	}
}

// Sums that are compacted come to the same.
func TestSumLogsAddUp(t *testing.T) {
	room := &logs{}
	defer room.spool.close()
	n := newNodeTotals(index.Tree{Fanout: 16}, 1, room)
	const rows = 5 * logEntries
	for i := range uint64(rows) {
		n.add(index.Calls, n.runOf(i%16, i%16), index.Row{Key: index.Key{i % 7, i % 3}, Sums: [4]uint64{1, i}})
	}
	count, ticks := uint64(0), uint64(0)
	runs, err := n.logs[index.Calls].rows(index.Calls, &rowSpace{})
	for _, rows := range runs {
		for _, r := range rows {
			count, ticks = count+r.Sums[0], ticks+r.Sums[1]
		}
	}
	if err != nil || count != rows || ticks != rows*(rows-1)/2 {
		t.Errorf("%d calls of %d ticks (%v), want %d of %d", count, ticks, err, rows, rows*(rows-1)/2)
	}
	if l := &n.logs[index.Calls]; l.entries > 2*logEntries || len(runs) != 31 {
		t.Errorf("%d entries in %d runs are left of %d", l.entries, len(runs), rows)
	}
}

// Where no file can be made, whoever needs what should be in it gets the error.
func TestLogsWithoutFile(t *testing.T) {
	room := &logs{spool: spool{dir: filepath.Join(t.TempDir(), "missing")}}
	l := log{of: room}
	for range 1000 {
		l.end(append(l.tail, make([]byte, 100)...))
	}
	if err := l.each(func([]byte) {}); err == nil {
		t.Error("nothing was lost of a log")
	}
	if b, err := room.take(room.keep(make([]byte, 100))); err == nil {
		t.Errorf("a block was kept and came back with %d bytes", len(b))
	}
}
