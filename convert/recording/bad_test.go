package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/record"
	"github.com/pandotrace/pando/trace"
)

// small is a recording in which something was given up.
func small(t testing.TB, by record.Reduction) []byte {
	t.Helper()
	r, err := record.Start(t.TempDir(), record.Options{Budget: 400 << 10, Rank: 0, Ranks: 2, By: by})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 2 {
		l := r.Location(fmt.Sprint("thread ", i))
		at := uint64(1 << 40)
		for n := range 8000 {
			at += rng.Uint64N(1 << rng.IntN(12))
			l.EnterAt(r.Region(fmt.Sprint("f", rng.IntN(5))), at)
			if n%100 == 0 {
				l.Metric(r.Metric("load", "1"), 3)
			}
			at += rng.Uint64N(1 << rng.IntN(12))
			for range rng.IntN(3) {
				l.LeaveAt(at)
			}
		}
		l.Send(record.World, 1, 2, 3)
	}
	r.Comm(7, "pair", []int{0, 1})
	return written(t, r)
}

// brief is a recording of two locations, for which there is always memory: how long calls of small take depends on the machine, and so does what it
// has room for.
func brief(t testing.TB) []byte {
	t.Helper()
	r, err := record.Start(t.TempDir(), record.Options{Budget: 400 << 10, Rank: 0, Ranks: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		l := r.Location(fmt.Sprint("thread ", i))
		l.Enter(r.Region("f"))
		l.Leave()
	}
	return written(t, r)
}

// inMemory opens recordings that are not on the disk.
func inMemory(files ...[]byte) (*Archive, error) {
	a := &Archive{}
	for i, data := range files {
		f := &file{path: fmt.Sprint("file ", i), warnings: &a.warnings, read: func(p []byte, at int64) error {
			if at > int64(len(data)) || copy(p, data[at:]) < len(p) {
				return io.EOF
			}
			return nil
		}}
		if err := f.open(int64(len(data))); err != nil {
			return nil, err
		}
		a.files = append(a.files, f)
	}
	return a, a.read()
}

// drain reads all streams and holds them to what streams promise.
func drain(a *Archive) (events int, err error) {
	for _, info := range a.Streams() {
		s, err := a.Open(info.StreamID)
		if err != nil {
			return events, err
		}
		var b trace.Batch
		last := int64(-1 << 63)
		for {
			err := s.Next(&b, 500)
			if err == io.EOF {
				break
			}
			if err == nil {
				err = b.Check(trace.Standard)
			}
			if err != nil {
				return events, err
			}
			for _, t := range b.Times {
				if info.Class == trace.StreamEvents && t < last {
					return events, fmt.Errorf("time %d after %d", t, last)
				}
				last = t
			}
			events += b.Len()
		}
	}
	return events, nil
}

// A file that ends anywhere is read as far as it goes, or refused with an error that says where.
func TestTruncations(t *testing.T) {
	data := small(t, record.Duration)
	last := 0
	for n := 0; n <= len(data); n += 3989 {
		a, err := inMemory(data[:n])
		events := 0
		if err == nil {
			events, err = drain(a)
		}
		var e *trace.SourceError
		if err != nil && (!errors.As(err, &e) || n >= headSize) {
			t.Fatalf("%d bytes: %v", n, err)
		}
		if err == nil && n < len(data) && len(a.Warnings()) == 0 {
			t.Fatalf("%d bytes: no warning", n)
		}
		last = max(last, events)
	}
	if last == 0 { // how many there are depends on how long calls took
		t.Error("no event is read")
	}
}

// Whatever bytes change, nothing worse happens than an error or a warning.
func TestDamage(t *testing.T) {
	reductions := []record.Reduction{record.Duration, record.Level, record.Occurrence, record.Classes("f1", "f2")}
	var recordings [][]byte
	for _, by := range reductions {
		recordings = append(recordings, small(t, by))
	}
	refused := 0
	for seed := range uint64(300) {
		data := recordings[seed%uint64(len(recordings))]
		rng := rand.New(rand.NewPCG(seed, 3))
		bad := bytes.Clone(data)
		for range 1 + rng.IntN(20) {
			at := rng.IntN(len(bad))
			if rng.IntN(3) == 0 {
				at = rng.IntN(headSize / 4)
			}
			bad[at] ^= byte(1 + rng.IntN(255))
		}
		a, err := inMemory(bad)
		if err == nil {
			_, err = drain(a)
		}
		var e *trace.SourceError
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err != nil {
			refused++
		}
	}
	if refused == 0 || refused == 300 {
		t.Errorf("%d files were refused", refused)
	}
}

// Times that no clock has are bins that cannot be read: they would come before all others. A begin at such a time is no recording.
func TestFarTimes(t *testing.T) {
	for _, kind := range []uint32{binLocation, binCalls, binEvents} {
		data, changed := small(t, record.Level), 0
		for at, size := headSize, int(le.Uint32(data[16:])); at < len(data); at += size {
			if le.Uint32(data[at:]) != kind {
				continue
			}
			changed++
			if le.PutUint64(data[at+16:], 1<<63+5); kind == binLocation {
				le.PutUint32(data[at+binHeader+4:], 1)
				le.PutUint64(data[at+binHeader+atStack:], 1<<63+5)
			}
		}
		a, err := inMemory(data)
		if err == nil {
			_, err = drain(a)
		}
		if err != nil || changed == 0 || len(a.Warnings()) == 0 {
			t.Errorf("%d bins of kind %d: %v", changed, kind, err)
		}
	}
	data := small(t, record.Level)
	le.PutUint64(data[80:], 1<<63)
	if _, err := inMemory(data); !errors.Is(err, trace.ErrCorrupt) {
		t.Errorf("a begin at tick 2^63: %v", err)
	}
}

// Files of different runs are no trace, those of one run in any order are.
func TestRuns(t *testing.T) {
	one := brief(t)
	two := bytes.Clone(one)
	two[36] = 1
	a, err := inMemory(two, one)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(a.locations); n != 4 || a.locations[0].f.rank != 0 {
		t.Errorf("%d locations", n)
	}
	if _, err := inMemory(one, one); !errors.Is(err, trace.ErrUnsupported) {
		t.Errorf("one rank twice: %v", err)
	}
	two[24]++
	if _, err := inMemory(one, two); !errors.Is(err, trace.ErrUnsupported) {
		t.Errorf("two runs: %v", err)
	}
}

// A recording in which there was no memory for a location says that something is missing.
func TestLocationWithoutMemory(t *testing.T) {
	r, err := record.Start(t.TempDir(), record.Options{Budget: 128 << 10, Ranks: 1})
	if err != nil {
		t.Fatal(err)
	}
	const begun = 1000
	for i := range begun {
		r.Location(fmt.Sprint("thread ", i))
	}
	a, err := inMemory(written(t, r))
	if err != nil {
		t.Fatal(err)
	}
	told := slices.ContainsFunc(a.Meta().Properties, func(p trace.Property) bool { return p.Name == "recording.to" })
	if n := len(a.locations); n == 0 || n >= begun || !told {
		t.Errorf("%d of %d locations; the recording tells: %v", n, begun, told)
	}
}

// letters is a recording of a process that sends itself messages and leaves some ends out.
func letters(t testing.TB) []byte {
	t.Helper()
	r, err := record.Start(t.TempDir(), record.Options{Budget: 128 << 10, Rank: 0, Ranks: 2, Phases: "step=every:2"})
	if err != nil {
		t.Fatal(err)
	}
	l, step := r.Location("main"), r.Region("step")
	for i := range uint64(20) {
		l.Enter(step)
		l.Send(record.World, 0, 1, i)
		l.Leave()
		l.Enter(step)
		l.Receive(record.World, 0, 1, i)
		l.Event(uint16(trace.KindMpiIsend), 0, 0, 2, i, i)
		if i%3 == 0 {
			l.Leave()
		}
		l.Event(uint16(trace.KindMpiIrecv), 0, 0, 2, i, 100+i)
		l.Leave()
	}
	return written(t, r)
}

// written closes a recorder, and returns what it has written.
func written(t testing.TB, r *record.Recorder) []byte {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// alike is a recording of messages that are like others.
func alike(t testing.TB) []byte {
	t.Helper()
	r, err := record.Start(t.TempDir(), record.Options{Budget: 128 << 10, Mode: record.Keep})
	if err != nil {
		t.Fatal(err)
	}
	l := r.Location("main")
	for i := range uint64(40) {
		l.Send(record.World, 0, int(i%3), 64)
		l.Event(uint16(trace.KindMpiIsend), 0, 0, 2, 64, 3*i)
	}
	return written(t, r)
}

// named is a recording of markers.
func named(t testing.TB) []byte {
	t.Helper()
	r, err := record.Start(t.TempDir(), record.Options{Budget: 128 << 10, Mode: record.Keep})
	if err != nil {
		t.Fatal(err)
	}
	l := r.Location("main")
	for i := range 9 {
		l.Mark(r.Marker("group", fmt.Sprint(i%2), record.SeverityHigh), strings.Repeat("text", i%3))
	}
	return written(t, r)
}

// TestMarkersOfNothing: of markers and texts whose definitions cannot be read, there are none, and the trace says so.
func TestMarkersOfNothing(t *testing.T) {
	for kind := byte(defineMarker); kind <= defineText; kind++ {
		data := named(t)
		for at := headSize; at < len(data); at += 16 << 10 {
			for d := at + binHeader; le.Uint32(data[at:]) == binDefinitions && data[d] == 1; d += 8 + int(le.Uint32(data[d+4:])) {
				if data[d+1] == kind {
					data[d+8] = 99 // its number
				}
			}
		}
		a, err := inMemory(data)
		if err != nil {
			t.Fatal(err)
		}
		n, err := drain(a)
		kinds := map[string]bool{}
		for _, w := range a.Warnings() {
			kinds[w.Kind] = true
		}
		if err != nil || n > 2 || !kinds["definition that cannot be read"] || !kinds["event that is none"] {
			t.Errorf("%d records, warnings %v, error %v", n, a.Warnings(), err)
		}
	}
}

// TestRepeatOfNothing: an event that repeats one that is not there ends its bin, and the trace says so.
func TestRepeatOfNothing(t *testing.T) {
	data := alike(t)
	for at := headSize; at < len(data); at += 16 << 10 {
		if le.Uint32(data[at:]) == binEvents {
			data[at+binHeader] = repeat // in the place of the first record
		}
	}
	a, err := inMemory(data)
	if err != nil {
		t.Fatal(err)
	}
	n, err := drain(a)
	if err != nil || n != 0 || len(a.Warnings()) == 0 {
		t.Errorf("%d events, warnings %v, error %v", n, a.Warnings(), err)
	}
}

func FuzzRecording(f *testing.F) {
	f.Add(letters(f))
	f.Add(alike(f))
	f.Add(named(f))
	data := small(f, record.Duration)
	f.Add(data[:headSize])
	f.Add(data[:headSize+3*(16<<10)])
	f.Add(small(f, record.Occurrence)[:headSize+8*(16<<10)])
	asking, _ := elsewhere(f, moment{1 << 40, 5, 7}, moment{1<<40 + 1<<30, 6 + 1<<30, 7})
	f.Add(asking[:headSize+8*(16<<10)])
	f.Fuzz(func(t *testing.T, data []byte) {
		runs := [][][]byte{{data}}
		if len(data) >= headSize { // and with a rank on another host, whose clock it may have asked
			other := bytes.Clone(data)
			other[36] ^= 1
			copy(other[256:], "node2\x00")
			runs = append(runs, [][]byte{data, other})
		}
		for _, files := range runs {
			a, err := inMemory(files...)
			if err == nil {
				_, err = drain(a)
			}
			var e *trace.SourceError
			if err != nil && !errors.As(err, &e) {
				t.Fatal(err)
			}
		}
	})
}
