package record_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/record"
	model "github.com/pandotrace/pando/trace"
)

// letter is a message on its way, whose bytes are its name.
type letter struct {
	bytes uint64
	sent  bool // the send is recorded
	at    uint64
}

// received is a message of which both ends are recorded, with their times.
type received struct {
	from, to               int
	bytes, sentAt, takenAt uint64
}

// ranks are processes that send each other messages; each pauses, and leaves calls of step out, as it likes.
type ranks struct {
	recorders []*record.Recorder
	locations []*record.Location
	paused    []bool
	steps     []int // how many steps there were, and whether one is open
	open      []bool
	every     int                 // steps for one that is recorded
	onWay     map[[3]int][]letter // by sender, receiver, tag
	begun     [][]posted          // requests to receive
	sends     [][]uint64          // requests to send
	requests  uint64
	bytes     uint64
	clock     uint64
	both      []received
}

// whole lists, of a rank, the ends of messages that are recorded at both ranks and were not given up.
func (r *ranks) whole(rank int) (list []string) {
	for _, m := range r.both {
		if m.sentAt < r.recorders[m.from].GivenUp().Before || m.takenAt < r.recorders[m.to].GivenUp().Before {
			continue
		}
		if m.from == rank {
			list = append(list, fmt.Sprint("send ", m.bytes))
		}
		if m.to == rank {
			list = append(list, fmt.Sprint("receive ", m.bytes))
		}
	}
	return list
}

type posted struct{ id uint64 }

// on reports whether a rank records.
func (r *ranks) on(rank int) bool {
	return !r.paused[rank] && (!r.open[rank] || (r.steps[rank]-1)%r.every == 0)
}

// Of messages of which one rank has left out its end, the other end is not in the trace, and all others are, in their order; requests have both ends or none.
func TestMessagesAreWhole(t *testing.T) {
	dropped, kept := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		events := rapid.IntRange(1, 800).Draw(rt, "events")
		d, k, _ := messagesOf(t, rt, events, record.Options{Budget: 1 << 20, Phases: "step=every:3"})
		dropped, kept = dropped+d, kept+k
	})
	if n := checks(); dropped < n/10 || kept < 10*n {
		t.Errorf("%d runs left an end out, %d ends are compared", dropped, kept)
	}
}

// So it is where the oldest events are given up: each rank has its own time from which on it has them.
func TestOldMessagesAreWhole(t *testing.T) {
	dropped, kept, old := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		events := rapid.IntRange(20_000, 60_000).Draw(rt, "events") // more than the budget has room for
		phases := rapid.SampledFrom([]record.Phases{"", "step=every:3"}).Draw(rt, "phases")
		d, k, o := messagesOf(t, rt, events, record.Options{Budget: 160 << 10, Mode: record.Last, Phases: phases})
		dropped, kept, old = dropped+d, kept+k, old+o
	})
	if n := checks(); dropped < n/10 || kept < 10*n || old < n/10 {
		t.Errorf("%d runs left an end out, %d ends are compared, %d ranks have given up old ones", dropped, kept, old)
	}
}

// checks is how many runs there are at least: rapid makes a fifth of them in short tests.
func checks() int {
	if testing.Short() {
		return 20
	}
	return 100
}

// messagesOf lets ranks send each other messages at random, and compares what is read of them. It returns 1 if ends were left out since the other ends are missing, how many ends are there, and how many ranks have given up old events.
func messagesOf(t *testing.T, rt *rapid.T, events int, opt record.Options) (dropped, kept, old int) {
	seed := rapid.Uint64().Draw(rt, "seed")
	n := rapid.IntRange(2, 3).Draw(rt, "ranks")
	pauses := rapid.SampledFrom([]int{0, 1, 20}).Draw(rt, "pauses") // of 20 acts in which there may be one
	rng := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	r := newRanks(t, dir, n, opt)
	for range events {
		r.act(rng, pauses)
	}
	r.finish()
	var paths []string
	for rank, recorder := range r.recorders {
		if err := recorder.Close(); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, filepath.Join(dir, fmt.Sprint(rank, ".pandorec")))
	}
	a, err := recording.Open(paths...)
	if err != nil {
		t.Fatal(err)
	}
	for rank := range n {
		got, requests := ends(t, a, uint64(rank))
		want := r.whole(rank)
		if r.recorders[rank].GivenUp().Before > 0 {
			old++
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("rank %d of %d, seed %d, %d events: %d ends, not %d: %v", rank, n, seed, events, len(got), len(want), unlikeEnds(got, want))
		}
		if requests != 0 {
			t.Fatalf("rank %d, seed %d: %d requests have one end", rank, seed, requests)
		}
		kept += len(got)
	}
	for _, p := range a.Meta().Properties {
		if p.Name == "recording.left_out_partners" {
			dropped++
		}
	}
	return dropped, kept, old
}

// unlikeEnds lists the first ends that are in one list only.
func unlikeEnds(a, b []string) (list []string) {
	const few = 5
	for i, lists := range [][2][]string{{a, b}, {b, a}} {
		for _, x := range lists[0] {
			if _, ok := slices.BinarySearch(lists[1], x); !ok && len(list) < (i+1)*few {
				list = append(list, []string{"+", "-"}[i]+x)
			}
		}
	}
	return list
}

func newRanks(t *testing.T, dir string, n int, opt record.Options) *ranks {
	t.Helper()
	r := &ranks{paused: make([]bool, n), steps: make([]int, n), open: make([]bool, n), onWay: map[[3]int][]letter{}, begun: make([][]posted, n), sends: make([][]uint64, n), clock: 1 << 40}
	r.every = 1
	if opt.Phases != "" {
		r.every = 3
	}
	opt.Ranks, opt.Run, opt.Monotonic = n, 7, true
	for rank := range n {
		opt.Rank = rank
		rec, err := record.Start(dir, opt)
		if err != nil {
			t.Fatal(err)
		}
		rec.SetClock(func() uint64 { return r.clock })
		r.recorders, r.locations = append(r.recorders, rec), append(r.locations, rec.Location("main"))
	}
	return r
}

func (r *ranks) act(rng *rand.Rand, pauses int) {
	rank := rng.IntN(len(r.recorders))
	if rng.IntN(2) == 0 {
		rank = 0 // which gives up more
	}
	l := r.locations[rank]
	r.clock += 1 + rng.Uint64N(50)
	switch p := rng.IntN(20); {
	case p < 7:
		r.send(rng, rank)
	case p < 14:
		r.receive(rng, rank)
	case p < 15 && rng.IntN(20) >= pauses:
	case p < 15 && r.paused[rank]:
		r.recorders[rank].Resume()
		r.paused[rank] = false
	case p < 15:
		r.recorders[rank].Pause()
		r.paused[rank] = true
	case p < 16:
		r.requests++
		r.begun[rank] = append(r.begun[rank], posted{r.requests})
		l.Event(17, r.requests)
	case p < 17 && len(r.sends[rank]) > 0:
		l.Event(16, r.sends[rank][0])
		r.sends[rank] = r.sends[rank][1:]
	case r.open[rank]:
		l.Leave()
		r.open[rank] = false
	default:
		l.Enter(r.recorders[rank].Region("step"))
		r.open[rank], r.steps[rank] = true, r.steps[rank]+1
	}
}

func (r *ranks) send(rng *rand.Rand, rank int) {
	to, tag := rng.IntN(len(r.recorders)), rng.IntN(2)
	r.bytes++
	if l := r.locations[rank]; rng.IntN(2) == 0 {
		l.Send(record.World, to, tag, r.bytes)
	} else {
		r.requests++
		r.sends[rank] = append(r.sends[rank], r.requests)
		l.Event(15, uint64(to), 0, uint64(tag), r.bytes, r.requests)
	}
	key := [3]int{rank, to, tag}
	r.onWay[key] = append(r.onWay[key], letter{r.bytes, r.on(rank), r.locations[rank].Last()})
}

func (r *ranks) receive(rng *rand.Rand, rank int) {
	if key := [3]int{rng.IntN(len(r.recorders)), rank, rng.IntN(2)}; len(r.onWay[key]) > 0 {
		r.take(key, rng.IntN(2) == 0)
	}
}

// finish receives what is on its way, and ends all requests.
func (r *ranks) finish() {
	for i := range 2 * len(r.recorders) * len(r.recorders) {
		for key := [3]int{i / 2 / len(r.recorders), i / 2 % len(r.recorders), i % 2}; len(r.onWay[key]) > 0; {
			r.take(key, true)
		}
	}
	for rank, l := range r.locations {
		for _, id := range r.sends[rank] {
			l.Event(16, id)
		}
		for _, p := range r.begun[rank] {
			l.Event(21, p.id)
		}
	}
	r.clock += 1 << 20 // times of events that the clock has not moved for are behind each other, and no later than the end
}

// take receives the first message of a channel, by a request if there is one.
func (r *ranks) take(key [3]int, byRequest bool) {
	r.clock += 5
	rank, m := key[1], r.onWay[key][0]
	r.onWay[key] = r.onWay[key][1:]
	if l := r.locations[rank]; len(r.begun[rank]) > 0 && byRequest {
		l.Event(19, uint64(key[0]), 0, uint64(key[2]), m.bytes, r.begun[rank][0].id)
		r.begun[rank] = r.begun[rank][1:]
	} else {
		l.Receive(record.World, key[0], key[2], m.bytes)
	}
	if m.sent && r.on(rank) {
		r.both = append(r.both, received{key[0], rank, m.bytes, m.at, r.locations[rank].Last()})
	}
}

// ends lists the ends of messages of a location, and counts requests that have one end only.
func ends(t *testing.T, a *recording.Archive, location uint64) (list []string, requests int) {
	t.Helper()
	s, err := a.Open(model.StreamID{Class: model.StreamEvents, Location: location})
	if err != nil {
		t.Fatal(err)
	}
	half := map[uint64]bool{}
	var b model.Batch
	for {
		if err := s.Next(&b, 100); err == io.EOF {
			return list, len(half)
		} else if err != nil {
			t.Fatal(err)
		}
		for i, k := range b.Kinds {
			w := b.Fields(i)
			switch k {
			case model.KindMpiSend, model.KindMpiIsend:
				list = append(list, fmt.Sprint("send ", w[3]))
			case model.KindMpiRecv, model.KindMpiIrecv:
				list = append(list, fmt.Sprint("receive ", w[3]))
			}
			switch k {
			case model.KindMpiIsend, model.KindMpiIrecv:
				half[w[4]] = !half[w[4]]
			case model.KindMpiIrecvRequest, model.KindMpiIsendComplete, model.KindMpiRequestCancelled:
				half[w[0]] = !half[w[0]]
			default:
				continue
			}
			for id, open := range half {
				if !open {
					delete(half, id)
				}
			}
		}
	}
}
