package blockio

import (
	"bytes"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"
)

// What was added to logs comes back, however much of it waits in a file, and logs that were cleared begin anew.
func TestLogs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		room := &Logs{Most: rapid.Int64Range(0, 1<<16).Draw(t, "memory")}
		defer room.Spool.Close()
		logs, want := make([]Log, 3), make([][]byte, 3)
		for i := range logs {
			logs[i].Of = room
		}
		for range rapid.IntRange(0, 3000).Draw(t, "entries") {
			i, entry := rand.IntN(3), bytes.Repeat([]byte{byte(rand.Uint32())}, rand.IntN(logEntryBytes+1))
			logs[i].End(append(logs[i].Tail, entry...))
			want[i] = append(want[i], entry...)
			if rand.IntN(500) == 0 {
				logs[i].Clear()
				want[i] = nil
			}
		}
		for i := range logs {
			var got []byte
			if err := logs[i].Each(func(b []byte) { got = append(got, b...) }); err != nil || !bytes.Equal(got, want[i]) {
				t.Fatalf("log %d: %d bytes (%v), want %d", i, len(got), err, len(want[i]))
			}
			logs[i].Clear()
		}
		if room.held != 0 {
			t.Fatalf("%d bytes are held of no log", room.held)
		}
	})
}

// A file of logs does not grow with what went through it.
func TestLogsUseRoomAgain(t *testing.T) {
	room := &Logs{}
	defer room.Spool.Close()
	l := Log{Of: room}
	for range 100 {
		for range 1000 {
			l.End(append(l.Tail, make([]byte, 100)...))
		}
		l.Clear()
	}
	if most := int64(1000*100 + 2*logBlockBytes); room.Spool.size > most {
		t.Errorf("%d bytes in the file, at most %d were needed at a time", room.Spool.size, most)
	}
}

// Where no file can be made, a read of a block that should be in it returns the error.
func TestLogsWithoutFile(t *testing.T) {
	room := &Logs{Spool: Spool{Dir: filepath.Join(t.TempDir(), "missing")}}
	l := Log{Of: room}
	for range 1000 {
		l.End(append(l.Tail, make([]byte, 100)...))
	}
	if err := l.Each(func([]byte) {}); err == nil {
		t.Error("nothing was lost of a log")
	}
	if b, err := room.Take(room.Keep(make([]byte, 100))); err == nil {
		t.Errorf("a block was kept and came back with %d bytes", len(b))
	}
}
