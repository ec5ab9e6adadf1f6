package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// prefixOf returns the naive answers to what a reader of a growing file is asked: those to the trace without what comes later. The events
// that are there must be all before some time; messages must be as in the whole trace, as far as it is decided which they are.
func prefixOf(t *testing.T, whole *subject, r *store.Reader) *subject {
	t.Helper()
	cut := *whole.model
	log, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	cut.Definitions = trace.NewDefinitions(whole.model.Definitions.Log[:len(log.Log)])
	cut.Locations, cut.Auxiliary = nil, nil
	last, next := int64(math.MinInt64), int64(math.MaxInt64)
	for _, info := range stored.Locations(t, r) {
		l := model.Location{ID: info.ID}
		if all := whole.model.Location(info.ID); all != nil {
			if info.Events > uint64(len(all.Events)) {
				t.Fatalf("location %d has %d events of %d", info.ID, info.Events, len(all.Events))
			}
			l.Events = all.Events[:info.Events:info.Events]
			if rest := all.Events[info.Events:]; len(rest) > 0 {
				next = min(next, rest[0].Time)
			}
		}
		if n := len(l.Events); n > 0 {
			last = max(last, l.Events[n-1].Time)
		}
		cut.Locations = append(cut.Locations, l)
	}
	if last > next {
		t.Errorf("an event at %d is there, and one at %d is not", last, next)
	}
	for _, s := range r.Info().AuxStreams {
		i := slices.IndexFunc(whole.model.Auxiliary, func(o model.Stream) bool { return o.ID == s.StreamID })
		cut.Auxiliary = append(cut.Auxiliary, model.Stream{ID: s.StreamID, Records: whole.model.Auxiliary[i].Records[:s.Records]})
	}
	s := &subject{model: &cut, calls: cut.Calls(), events: cut.Events(), times: map[model.EventID]int64{}, instants: map[int64]int{}}
	for i := range s.events {
		s.times[s.events[i].ID()] = s.events[i].Time
		s.instants[s.events[i].Time]++
	}
	s.matching = decided(t, s, whole.matching, r)
	return s
}

// decided returns the messages that a reader of a growing file has, having held them against those of the whole trace: none is another one, and
// none is missing unless a request is open on the process of one of its ends.
func decided(t *testing.T, s *subject, whole *model.Matching, r *store.Reader) *model.Matching {
	t.Helper()
	got := &model.Matching{}
	has := map[trace.Message]bool{}
	for m, err := range r.All().Messages() {
		if err != nil {
			t.Fatal(err)
		}
		has[m] = true
	}
	open, matched := s.openRequests(), map[model.EventID]bool{}
	there := func(location, ordinal uint64) bool {
		_, ok := s.times[model.EventID{Location: location, Ordinal: ordinal}]
		return ok
	}
	for _, m := range whole.Messages {
		if !there(m.SendLocation, m.SendOrdinal) || !there(m.ReceiveLocation, m.ReceiveOrdinal) {
			continue
		}
		if !has[m] && !open[s.processOf(m.SendLocation)] && !open[s.processOf(m.ReceiveLocation)] {
			t.Errorf("the message %+v is missing", m)
		}
		if has[m] {
			got.Messages = append(got.Messages, m)
			matched[model.EventID{Location: m.SendLocation, Ordinal: m.SendOrdinal}] = true
			matched[model.EventID{Location: m.ReceiveLocation, Ordinal: m.ReceiveOrdinal}] = true
		}
		delete(has, m)
	}
	for m := range has {
		t.Errorf("the message %+v is none of the whole trace", m)
	}
	got.CancelledSends = s.model.Match().CancelledSends
	requests, posted := map[[2]uint64]int{}, map[model.EventID]int{} // places of requests, and of receives in the order of posting
	for i := range s.events {
		switch e := &s.events[i]; e.Kind {
		case trace.KindMpiIrecvRequest:
			requests[[2]uint64{e.Location, e.Words[0]}] = i
		case trace.KindMpiIsend, trace.KindMpiRequestCancelled:
			delete(requests, [2]uint64{e.Location, e.Words[len(e.Words)-1]})
		case trace.KindMpiRecv, trace.KindMpiIrecv:
			posted[e.ID()] = i
			if k := [2]uint64{e.Location, e.Words[len(e.Words)-1]}; e.Kind == trace.KindMpiIrecv {
				if at, ok := requests[k]; ok {
					posted[e.ID()] = at
					delete(requests, k)
				}
			}
		}
		id := s.events[i].ID()
		if matched[id] || slices.Contains(got.CancelledSends, id) {
			continue
		}
		switch s.events[i].Kind {
		case trace.KindMpiSend, trace.KindMpiIsend:
			got.UnmatchedSends = append(got.UnmatchedSends, id)
		case trace.KindMpiRecv, trace.KindMpiIrecv:
			got.UnmatchedReceives = append(got.UnmatchedReceives, id)
		}
	}
	slices.SortStableFunc(got.UnmatchedReceives, func(a, b model.EventID) int { return posted[a] - posted[b] })
	return got
}

// processOf names the process of a location.
func (s *subject) processOf(location uint64) [2]uint64 {
	if p, ok := s.model.Definitions.Process(location); ok {
		return [2]uint64{1, p}
	}
	return [2]uint64{0, location}
}

// openRequests returns the processes that have requests which are neither completed nor cancelled.
func (s *subject) openRequests() map[[2]uint64]bool {
	requests := map[[2]uint64]bool{} // by location and number
	for i := range s.events {
		switch e := &s.events[i]; e.Kind {
		case trace.KindMpiIsend:
			requests[[2]uint64{e.Location, e.Words[4]}] = true
		case trace.KindMpiIrecvRequest:
			requests[[2]uint64{e.Location, e.Words[0]}] = true
		case trace.KindMpiIsendComplete, trace.KindMpiRequestCancelled:
			delete(requests, [2]uint64{e.Location, e.Words[0]})
		case trace.KindMpiIrecv:
			delete(requests, [2]uint64{e.Location, e.Words[4]})
		}
	}
	open := map[[2]uint64]bool{}
	for r := range requests {
		open[s.processOf(r[0])] = true
	}
	return open
}

// grow opens a file of which some bytes are there, and then more and more, and calls check where there is more to be seen.
func grow(t *testing.T, file []byte, sizes []int, check func(g *store.Growing, size int)) {
	t.Helper()
	var g *store.Growing
	for _, size := range sizes {
		grown, err := true, error(nil)
		if g == nil {
			if g, err = store.NewGrowing(t.Context(), bytes.NewReader(file), int64(size), store.ReadOptions{Name: "it"}); errors.Is(err, store.ErrNothing) {
				g = nil
				continue
			}
		} else {
			grown, err = g.RefreshTo(t.Context(), int64(size))
		}
		if err != nil {
			t.Fatalf("%d of %d bytes: %v", size, len(file), err)
		}
		if g.Stopped() != nil {
			t.Fatalf("%d of %d bytes: %v", size, len(file), g.Stopped())
		}
		if grown {
			check(g, size)
		}
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

// A file that grows has at each size the answers that the trace has without what comes later, and at the end all of them.
func TestPropertyGrowing(t *testing.T) {
	t.Parallel()
	sizesOf, windows := thrift.Of(2, 5), thrift.Of(1, 4)
	forSeeds(t, func(t *testing.T, seed uint64) {
		if seed%uint64(thrift.Of(3, 1)) > 0 {
			t.Skip("each of these asks all there is, of several sizes")
		}
		s := randomSubject(t, seed)
		r := rand.New(rand.NewPCG(seed, 3))
		forOptions(t, seed, len(s.events), 1, func(t *testing.T, opt store.Options) {
			file := write(t, s.open(), opt)
			sizes := []int{len(file)}
			for range sizesOf {
				sizes = append(sizes, r.IntN(len(file)))
			}
			slices.Sort(sizes)
			grow(t, file, sizes, func(g *store.Growing, size int) {
				if g.Ended() != (size == len(file)) || g.Reader().Unfinished() == g.Ended() {
					t.Fatalf("%d of %d bytes, and it has its end: %t", size, len(file), g.Ended())
				}
				t.Run(fmt.Sprint(size), func(t *testing.T) {
					c := &checker{T: t, subject: prefixOf(t, s, g.Reader()), reader: g.Reader(), rand: rand.New(rand.NewPCG(seed, 4)), sliceEvents: opt.SliceEvents}
					if g.Ended() {
						c.subject = s
					}
					c.everything(windows)
				})
			})
		})
	})
}

// A file that is cut off anywhere can be read up to its last whole group, whether it is opened so or grew to that, and nothing else is said
// of it.
func TestGrowingCutAnywhere(t *testing.T) {
	t.Parallel()
	s := newSubject(t, func() trace.Source { return tracegen.Ring(2, 3, 1) })
	file := write(t, s.open(), store.Options{SliceEvents: 12, Fanout: 2, LaneLocations: 2})
	every := thrift.Of(19, 1) // bytes
	var g *store.Growing
	states, events := 0, uint64(0)
	for size := range len(file) {
		grown, err := true, error(nil)
		if g == nil {
			g, err = store.NewGrowing(t.Context(), bytes.NewReader(file), int64(size), store.ReadOptions{})
		} else {
			grown, err = g.RefreshTo(t.Context(), int64(size))
		}
		if errors.Is(err, store.ErrNothing) && states == 0 {
			continue
		}
		if err != nil || g.Stopped() != nil {
			t.Fatalf("%d bytes: %v, %v", size, err, g.Stopped())
		}
		if grown {
			states, events = states+1, g.Reader().Info().Events
			c := &checker{T: t, subject: prefixOf(t, s, g.Reader()), reader: g.Reader(), rand: rand.New(rand.NewPCG(1, 2)), sliceEvents: 12}
			c.window(c.allTime())
		}
		if !grown && size%every > 0 {
			continue
		}
		r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(size), store.ReadOptions{Unfinished: true})
		if err != nil {
			t.Fatalf("%d bytes: %v", size, err)
		}
		if n := r.Info(); n.Events != events || n.SHA256 != g.Reader().Info().SHA256 || n.FileBytes != int64(size) || !r.Unfinished() {
			t.Fatalf("%d bytes: %+v, it grew to %+v", size, n, g.Reader().Info())
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if states < 5 || events != uint64(len(s.events)) {
		t.Errorf("%d states up to %d events of %d: this tests little", states, events, len(s.events))
	}
}

// Damage ends what can be read of an unfinished file, and the reader says so. What is before it is right.
func TestGrowingStopsAtDamage(t *testing.T) {
	t.Parallel()
	s := newSubject(t, func() trace.Source { return tracegen.Ring(3, 4, 2) })
	file := write(t, s.open(), store.Options{SliceEvents: 40, Fanout: 2, LaneLocations: 2})
	file = file[:len(file)-format.FooterSize-1]
	told := 0
	for _, b := range damage.Blocks(file) {
		if b.Offset+b.Size() > len(file) {
			continue
		}
		for _, at := range []int{b.Offset + 8, b.Offset + format.FrameSize + (b.Size()-format.FrameSize)/2} {
			bad := bytes.Clone(file)
			bad[min(at, b.Offset+b.Size()-1)] ^= 1
			g, err := store.NewGrowing(t.Context(), bytes.NewReader(bad), int64(len(bad)), store.ReadOptions{})
			if b.Kind == format.BlockMeta {
				if !format.IsCorrupt(err) {
					t.Errorf("a damaged meta block: %v", err)
				}
				continue
			}
			if err != nil {
				t.Errorf("a damaged %s: %v", b.Kind, err)
				continue
			}
			prefixOf(t, s, g.Reader())
			var c *format.CorruptError
			if errors.As(g.Stopped(), &c) && c.Offset == int64(b.Offset) {
				told++
			} else if at == b.Offset+8 {
				t.Errorf("the frame of the %s at offset %d is damaged, which is told as: %v", b.Kind, b.Offset, g.Stopped())
			}
			g.Close()
		}
	}
	if told < 40 {
		t.Errorf("damage was told %d times: this tests little", told)
	}
}

// While a file is written, a reader beside the writer sees more and more of it, and at last all of it under its name.
func TestGrowingWhileItIsWritten(t *testing.T) {
	t.Parallel()
	s := newSubject(t, func() trace.Source { return tracegen.Ring(4, 400, 3) })
	path := filepath.Join(t.TempDir(), "out.pando")
	src := s.open()
	defer src.Close()
	w, err := store.Create(t.Context(), path, src.Meta(), store.Options{SliceEvents: 100, Fanout: 4, LaneLocations: 2})
	if err != nil {
		t.Fatal(err)
	}
	g, err := store.OpenGrowing(t.Context(), path+".part", store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if g.Reader().Info().Events != 0 || g.Reader().Meta().Resolution != src.Meta().Resolution {
		t.Errorf("%+v, before there are events", g.Reader().Info())
	}
	written := make(chan error, 1)
	go func() {
		err := store.Copy(t.Context(), w, src, nil)
		if err == nil {
			err = w.Close()
		}
		written <- err
	}()
	states, events := 0, uint64(0)
	for !g.Ended() {
		grown, err := g.Refresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !grown {
			time.Sleep(time.Millisecond)
			continue
		}
		if n := g.Reader().Info().Events; n < events {
			t.Fatalf("%d events, %d before", n, events)
		} else if events = n; states%8 == 0 {
			prefixOf(t, s, g.Reader())
		}
		states++
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	whole, err := store.Open(t.Context(), path, store.ReadOptions{Unfinished: true})
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	if got := g.Reader().Info(); got.SHA256 != whole.Info().SHA256 || events != uint64(len(s.events)) || whole.Unfinished() {
		t.Errorf("%d events of %d at the end, fingerprint %x, want %x", events, len(s.events), got.SHA256, whole.Info().SHA256)
	}
	t.Logf("%d states", states)
}

// A file that becomes shorter is none that grows.
func TestGrowingShorter(t *testing.T) {
	file := write(t, tracegen.Ring(3, 4, 2), store.Options{})
	g, err := store.NewGrowing(t.Context(), bytes.NewReader(file), int64(len(file)-1), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if _, err := g.RefreshTo(t.Context(), 100); err == nil {
		t.Error("a file became shorter, and that is no error")
	}
}
