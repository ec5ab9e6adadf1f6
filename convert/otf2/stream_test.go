package otf2

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pandotrace/pando/convert/otf2/internal/form"
	"github.com/pandotrace/pando/convert/otf2/internal/read"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// digest returns a hash of all records of an archive, with everything that belongs to them.
func digest(t testing.TB, a *Archive, max int) map[trace.StreamID]uint64 {
	t.Helper()
	sums := map[trace.StreamID]uint64{}
	for _, s := range a.Streams() {
		h := fnv.New64a()
		records(t, a, s.StreamID, max, func(b *trace.Batch, i int) { hashRecord(h, b, i) })
		sums[s.StreamID] = h.Sum64()
	}
	return sums
}

func hashRecord(h hash.Hash, b *trace.Batch, i int) {
	var buf [256]byte
	out := binary.AppendUvarint(buf[:0], b.Location)
	out = binary.AppendUvarint(out, uint64(b.Kinds[i]))
	out = binary.AppendVarint(out, b.Times[i])
	out = binary.AppendVarint(out, b.Residual(i))
	if b.Kinds[i] < 0x100 && b.Kinds[i] != trace.KindUnknownEvent { // all other events are without text
		for _, w := range b.Fields(i) {
			out = binary.AppendUvarint(out, w)
		}
	} else {
		trace.Standard.Spec(b.Kinds[i]).Walk(b.Fields(i), func(_ int, f *trace.Field, w uint64) {
			if f.Type.InText() {
				out = append(out, b.TextOf(w)...)
			} else {
				out = binary.AppendUvarint(out, w)
			}
		})
	}
	for _, a := range b.AttrsOf(i) {
		out = binary.AppendUvarint(append(out, byte(a.Type)), a.ID)
		out = binary.AppendUvarint(out, a.Value)
	}
	h.Write(out)
}

func compareSums(t testing.TB, what string, got, want map[trace.StreamID]uint64) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Errorf("%s: %d streams, want %d", what, len(got), len(want))
	}
	for id, sum := range want {
		if got[id] != sum {
			t.Errorf("%s: stream %v differs", what, id)
		}
	}
}

// However small the windows and batches are, the records are the same.
func TestResume(t *testing.T) {
	for _, name := range tracetest.Bundled(t) {
		t.Run(name, func(t *testing.T) {
			want := digest(t, mustOpen(t, name, Options{WindowBytes: 1 << 22}), 1<<20)
			for _, size := range []struct{ window, max int }{{0, 1}, {4 << 10, 1000}, {100, 7}, {1, 1000}} {
				if size.window == 1 && name != allRecords && name != allRecordsBig {
					continue // a system call for each record takes long
				}
				got := digest(t, mustOpen(t, name, Options{WindowBytes: size.window}), size.max)
				compareSums(t, fmt.Sprintf("window %d, batches of %d", size.window, size.max), got, want)
			}
		})
	}
}

func TestBigEndianTwin(t *testing.T) {
	little, big := mustOpen(t, allRecords, Options{}), mustOpen(t, allRecordsBig, Options{})
	compareSums(t, "big-endian", digest(t, big, 1000), digest(t, little, 1000))
	if v := propertyOf(t, big, "otf2.byteOrder"); v != "big" {
		t.Errorf("byte order is %q", v)
	}
}

func propertyOf(t *testing.T, a *Archive, name string) string {
	for _, p := range a.Meta().Properties {
		if p.Name == name {
			return p.Value
		}
	}
	t.Errorf("no property %s", name)
	return ""
}

// Streams are independent: many at once, each of them twice, in step, and others from other goroutines.
func TestConcurrentStreams(t *testing.T) {
	for _, name := range []string{allRecords, "otf2.mg.S.8.snapmark"} {
		a := mustOpen(t, name, Options{WindowBytes: 4 << 10})
		want := digest(t, a, 1000)
		var wait sync.WaitGroup
		for _, max := range []int{10, 1000} {
			for _, s := range a.Streams() {
				stream, err := a.Open(s.StreamID)
				if err != nil {
					t.Fatal(err)
				}
				wait.Go(func() {
					h := fnv.New64a()
					var b trace.Batch
					for stream.Next(&b, max) == nil {
						for i := range b.Len() {
							hashRecord(h, &b, i)
						}
					}
					if h.Sum64() != want[s.StreamID] {
						t.Errorf("%s: stream %v differs", name, s.StreamID)
					}
				})
			}
		}
		wait.Wait()
	}
}

// The local time of each event follows from its corrected time and its residual.
func TestResiduals(t *testing.T) {
	notZero := 0
	for _, name := range []string{allRecords, "otf2.mg.S.16.skew"} {
		a := mustOpen(t, name, Options{})
		for _, id := range streamsOf(a, trace.StreamEvents) {
			_, clock, err := a.Local(id.Location)
			if err != nil {
				t.Fatal(err)
			}
			if clock == nil {
				clock = &trace.Clock{}
			}
			data, err := os.ReadFile(a.Path(id))
			if err != nil {
				t.Fatal(err)
			}
			local := localTimes(data, int(a.Anchor.EventChunk))
			n := 0
			records(t, a, id, 1000, func(b *trace.Batch, i int) {
				got := clock.Local(uint64(b.Times[i])+a.Meta().Epoch) + uint64(b.Residual(i))
				if got != local[n] {
					t.Fatalf("%s, location %d, event %d: local time %d, want %d", name, id.Location, n, got, local[n])
				}
				if b.Residual(i) != 0 {
					notZero++
				}
				n++
			})
			if n != len(local) {
				t.Errorf("%s, location %d: %d events, want %d", name, id.Location, n, len(local))
			}
		}
	}
	if notZero == 0 {
		t.Error("no event has a residual: the test shows nothing")
	}
}

// localTimes returns the time of each event of a little-endian event file, in the simplest way.
func localTimes(data []byte, chunk int) (times []uint64) {
	single := map[byte]bool{12: true, 13: true, 16: true, 17: true, 20: true, 21: true, 24: true, 28: true, 29: true, 30: true}
	now := uint64(0)
	for p := form.ChunkHeader; data[p] != form.IdEndOfFile; {
		id := data[p]
		switch {
		case id == form.IdEndOfChunk:
			p += chunk - p%chunk + form.ChunkHeader
			continue
		case id == form.IdTime:
			now = binary.LittleEndian.Uint64(data[p+1:])
			p += 9
			continue
		case single[id] && data[p+1] == 0xff:
			p += 2
		case !single[id] && data[p+1] == 0xff:
			p += 10 + int(binary.LittleEndian.Uint64(data[p+2:]))
		default:
			p += 2 + int(data[p+1])
		}
		if id != form.IdAttributes {
			times = append(times, now)
		}
	}
	return times
}

// The thumbnail, read by eye from its bytes; the OTF2 library writes thumbnails but cannot read them.
func TestThumbnail(t *testing.T) {
	a := mustOpen(t, allRecords, Options{})
	ids := streamsOf(a, trace.StreamThumbnails)
	if len(ids) != 1 {
		t.Fatalf("%d thumbnails", len(ids))
	}
	var got []string
	records(t, a, ids[0], 100, func(b *trace.Batch, i int) { got = append(got, describe(b, i)) })
	compareLines(t, "thumbnail", got[:2], []string{
		`0 ThumbHeader 0+0 "thumb name" "thumb descr" 0 8 5 1 4294967295 4294967296 18446744073709551615 16777215`,
		`0 ThumbSample 0+0 6879138332 5 16777216 0 0 255 0`,
	})
	if len(got) != 9 {
		t.Errorf("%d records, want a header and 8 samples", len(got))
	}
}

// A record longer than the window, here a string, makes the window grow.
func TestLongRecord(t *testing.T) {
	text := strings.Repeat("long ", 50_000)
	payload := append([]byte{1, 7}, append([]byte(text), 0)...)
	data := fileOf(recordL(10, 0, 'a', 0), recordL(10, payload...), recordL(10, 1, 8, 'b', 0))
	list, err := read.ReadRecords(read.NewStream(inMemory(data, 1<<20, 4<<10), form.DefinitionGrammar, 0, 0, nil, nil, &trace.Warnings{}))
	if err != nil || len(list) != 3 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	if got := list[1].TextOf(list[1].Words[1]); got != text {
		t.Errorf("a string of %d bytes, want %d", len(got), len(text))
	}
}

// Appended fields of future versions become a record before it, with a warning.
func TestLongerRecordThanKnown(t *testing.T) {
	warn := &trace.Warnings{}
	data := fileOf(stampRecord(1), recordL(11, 1, 99, 99), []byte{12, 0})
	list, err := all(read.NewStream(inMemory(data, 1<<20, 64), form.EventGrammar, 0, 0, nil, nil, warn), 10)
	if err != nil {
		t.Fatal(err)
	}
	compareLines(t, "events", list, []string{`0 EventRest 1+0 0 0 "cc"`, "0 MeasurementOnOff 1+0 1", "0 Enter 1+0 0"})
	if w := warn.All(); len(w) != 1 || w[0].Kind != "record longer than known" || w[0].Count != 1 {
		t.Errorf("warnings: %v", w)
	}
}

// An archive of many locations, all streams of which are open at the same time, needs few open files.
func TestManyOpenStreams(t *testing.T) {
	const locations, most = 3000, 500 // a process may often have 1024 files
	anchor := manyLocations(t, locations)
	a, err := Open(anchor, Options{})
	if err != nil {
		t.Fatal(err)
	}
	a.Opened = &read.OpenFiles{Most: most}
	before := openFilesNow(t)
	var streams []trace.Stream
	var b trace.Batch
	for _, id := range streamsOf(a, trace.StreamEvents) {
		s, err := a.Open(id)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Next(&b, 1); err != nil || b.Len() != 1 || b.Fields(0)[0] != id.Location {
			t.Fatalf("location %d: %v", id.Location, err)
		}
		streams = append(streams, s)
	}
	if n := openFilesNow(t) - before; len(streams) != locations || n != most {
		t.Errorf("%d streams hold %d files open, want %d and %d", len(streams), n, locations, most)
	}
	for _, s := range streams {
		s.Close()
	}
	if n := openFilesNow(t) - before; n != 0 {
		t.Errorf("%d files stay open behind closed streams", n)
	}
}

func openFilesNow(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc/self/fd to count open files")
	}
	return len(entries)
}

// manyLocations writes an archive whose locations 0 to n-1 each enter the region of their number, and leave it.
func manyLocations(t *testing.T, n int) (anchor string) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "t"), 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	defs := [][]byte{recordL(5, 1, 100, 0, 1, 50)}
	for i := range n {
		number := compressed(uint64(i))
		location := append(append([]byte{}, number...), 0, 1, 1, 2, 0)
		defs = append(defs, recordL(14, location...))
		write(fmt.Sprintf("t/%d.evt", i), fileOf(stampRecord(10), append([]byte{12}, number...),
			stampRecord(20), append([]byte{13}, number...)))
		write(fmt.Sprintf("t/%d.def", i), fileOf())
	}
	write("t.def", fileOf(defs...))
	write("t.otf2", anchorFile(uint64(n), uint64(len(defs))))
	return filepath.Join(dir, "t.otf2")
}

func compressed(v uint64) []byte {
	bytes := binary.LittleEndian.AppendUint64(nil, v)
	n := len(bytes)
	for n > 0 && bytes[n-1] == 0 {
		n--
	}
	return append([]byte{byte(n)}, bytes[:n]...)
}

func anchorFile(locations, definitions uint64) []byte {
	data := append([]byte{form.IdChunk, form.MarkLittle}, "OTF2\x00\x03\x02\x03\x00\x02"...)
	data = binary.LittleEndian.AppendUint64(data, 1<<20)
	data = binary.LittleEndian.AppendUint64(data, 4<<20)
	data = append(data, form.SubstratePosix, form.CompressionNone)
	data = binary.LittleEndian.AppendUint64(data, locations)
	data = binary.LittleEndian.AppendUint64(data, definitions)
	data = append(data, "machine\x00creator\x00description\x00"...)
	data = append(data, make([]byte, 4+8+4+4)...) // no properties, trace id 0, no snapshots, no thumbnails
	return append(data, form.IdEndOfFile, form.IdEndOfBuffer, 0)
}

// Where a clock is corrected so much that times would run backwards, they stand still, and residuals keep the local time.
func TestCorrectedTimesDoNotRunBackwards(t *testing.T) {
	clock := &trace.Clock{}
	clock.Add(0, 0)
	clock.Add(10, 0)
	clock.Add(20, -20) // corrected to 0
	data := fileOf(stampRecord(5), []byte{12, 0}, stampRecord(10), []byte{12, 0}, stampRecord(15), []byte{13, 0},
		stampRecord(30), []byte{13, 0})
	warn := &trace.Warnings{}
	s := read.NewStream(inMemory(data, 1<<20, 64), form.EventGrammar, 1, 0, nil, clock, warn)
	var b trace.Batch
	local := []uint64{5, 10, 15, 30}
	for last := int64(0); len(local) > 0; {
		if err := s.Next(&b, 10); err != nil {
			t.Fatal(err)
		}
		for i := range b.Len() {
			if got := clock.Local(uint64(b.Times[i])) + uint64(b.Residual(i)); got != local[0] || b.Times[i] < last {
				t.Errorf("time %d after %d, local time %d, want %d", b.Times[i], last, got, local[0])
			}
			last, local = b.Times[i], local[1:]
		}
	}
	if w := warn.All(); len(w) != 1 || w[0].Kind != "corrected times run backwards" || w[0].Count != 2 {
		t.Errorf("warnings: %v", w)
	}
}
