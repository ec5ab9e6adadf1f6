package record_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/trace"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/record"
	model "github.com/pandotrace/pando/trace"
)

// moment is a begin or an end of a call, in nanoseconds of a clock.
type moment struct {
	what string
	at   int64
}

// Calls and regions of runtime/trace around them have the same names in the same order on each goroutine, and each call lies within its region, by clocks that go equally fast.
func TestLikeRuntimeTrace(t *testing.T) {
	command := tracetest.Oracle(t, "go")
	seed := rand.Uint64()
	defer func() {
		if t.Failed() {
			t.Log("seed", seed)
		}
	}()
	dir := t.TempDir()
	r, err := record.Start(dir, record.Options{Budget: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, "trace"))
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Start(file); err != nil {
		t.Skip(err)
	}
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			name := fmt.Sprint("goroutine ", i)
			w := &walker{r: r, l: r.Location(name), rand: rand.New(rand.NewPCG(seed, uint64(i))), left: 2000}
			w.call(name, 0)
		})
	}
	all.Wait()
	trace.Stop()
	if err := errors.Join(file.Close(), r.Close()); err != nil {
		t.Fatal(err)
	}
	ours, theirs := recordedMoments(t, r.Path()), tracedMoments(t, command, file.Name())
	if len(ours) != 4 || len(theirs) != 4 {
		t.Fatalf("%d locations and %d goroutines", len(ours), len(theirs))
	}
	// The offset between the clocks has bounds: no call begins before its region, and none ends after it.
	least, most, calls := int64(-1<<62), int64(1<<62), 0
	for name, list := range ours {
		other := theirs[name]
		if !slices.EqualFunc(list, other, func(a, b moment) bool { return a.what == b.what }) {
			t.Fatalf("%s: %d moments, and runtime/trace has %d others", name, len(list), len(other))
		}
		for i, m := range list {
			if offset := m.at - other[i].at; strings.HasPrefix(m.what, "begin") {
				most, calls = min(most, offset), calls+1
			} else {
				least = max(least, offset)
			}
		}
	}
	// Times of runtime/trace are multiples of 64 ns; the rate of the processor's counter is known to some millionths.
	const tolerance = 20_000
	if least > most+tolerance || calls < 4*2000 {
		t.Errorf("calls end up to %d ns behind their regions; %d calls", least-most, calls)
	}
}

// walker makes calls at random.
type walker struct {
	r    *record.Recorder
	l    *record.Location
	rand *rand.Rand
	left int
}

func (w *walker) call(name string, depth int) {
	region := trace.StartRegion(context.Background(), name)
	w.l.Enter(w.r.Region(name))
	for w.left > 0 && (depth == 0 || depth < 20 && w.rand.IntN(2) == 0) {
		w.left--
		w.call(fmt.Sprint("f", w.rand.IntN(5)), depth+1)
	}
	w.l.Leave()
	region.End()
}

// recordedMoments reads a recording, by the names of locations.
func recordedMoments(t *testing.T, path string) map[string][]moment {
	t.Helper()
	a, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	log, err := a.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	d := model.NewDefinitions(log)
	list := map[string][]moment{}
	perTick := 1e9 / float64(a.Meta().Resolution)
	for _, info := range a.Streams() {
		if info.Class != model.StreamEvents {
			continue
		}
		s, err := a.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		var moments []moment
		var b model.Batch
		for {
			if err := s.Next(&b, 1000); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			for i, k := range b.Kinds {
				what := map[model.Kind]string{model.KindEnter: "begin ", model.KindLeave: "end "}[k]
				moments = append(moments, moment{what + d.RegionName(b.Fields(i)[0]), int64(float64(b.Times[i]) * perTick)})
			}
		}
		list[strings.TrimPrefix(moments[0].what, "begin ")] = moments
	}
	return list
}

var regionLine = regexp.MustCompile(`G=(\d+) Region(Begin|End) Time=(\d+) .*Type="(.*)"`)

// tracedMoments has Go's own program print a trace.
func tracedMoments(t *testing.T, command, path string) map[string][]moment {
	t.Helper()
	out, err := exec.Command(command, "tool", "trace", "-d=parsed", path).Output()
	if err != nil {
		t.Skipf("go tool trace cannot print it: %v", err)
	}
	byGoroutine := map[string][]moment{}
	for line := range bytes.Lines(out) {
		if m := regionLine.FindStringSubmatch(string(line)); m != nil {
			at, err := strconv.ParseInt(m[3], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			byGoroutine[m[1]] = append(byGoroutine[m[1]], moment{strings.ToLower(m[2]) + " " + m[4], at})
		}
	}
	list := map[string][]moment{}
	for _, moments := range byGoroutine {
		list[strings.TrimPrefix(moments[0].what, "begin ")] = moments
	}
	return list
}
