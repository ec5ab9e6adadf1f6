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
}

// ranks are processes that send each other messages; each pauses, and leaves calls of step out, as it likes.
type ranks struct {
	recorders []*record.Recorder
	locations []*record.Location
	paused    []bool
	steps     []int // how many steps there were, and whether one is open
	open      []bool
	onWay     map[[3]int][]letter // by sender, receiver, tag
	begun     [][]posted          // requests to receive
	sends     [][]uint64          // requests to send
	requests  uint64
	bytes     uint64
	whole     [][]string // of each rank, the ends of messages that are recorded at both ranks
}

type posted struct{ id uint64 }

const every = 3

// on reports whether a rank records.
func (r *ranks) on(rank int) bool {
	return !r.paused[rank] && (!r.open[rank] || (r.steps[rank]-1)%every == 0)
}

// Of messages of which one rank has left out its end, the other end is not in the trace, and all others are, in their order; requests have both ends or none.
func TestMessagesAreWhole(t *testing.T) {
	dropped, kept := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		n := rapid.IntRange(2, 3).Draw(rt, "ranks")
		events := rapid.IntRange(1, 800).Draw(rt, "events")
		rng := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		r := newRanks(t, dir, n)
		for range events {
			r.act(rng)
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
			want := r.whole[rank]
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("rank %d of %d, seed %d, %d events: %v, not %v", rank, n, seed, events, got, want)
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
	})
	if dropped < 10 || kept < 1000 {
		t.Errorf("%d runs left an end out, %d ends are compared", dropped, kept)
	}
}

func newRanks(t *testing.T, dir string, n int) *ranks {
	t.Helper()
	r := &ranks{paused: make([]bool, n), steps: make([]int, n), open: make([]bool, n), onWay: map[[3]int][]letter{}, begun: make([][]posted, n), sends: make([][]uint64, n), whole: make([][]string, n)}
	for rank := range n {
		rec, err := record.Start(dir, record.Options{Budget: 1 << 20, Rank: rank, Ranks: n, Run: 7, Phases: "step=every:3"})
		if err != nil {
			t.Fatal(err)
		}
		r.recorders, r.locations = append(r.recorders, rec), append(r.locations, rec.Location("main"))
	}
	return r
}

func (r *ranks) act(rng *rand.Rand) {
	rank := rng.IntN(len(r.recorders))
	l := r.locations[rank]
	switch p := rng.IntN(20); {
	case p < 7:
		r.send(rng, rank)
	case p < 14:
		r.receive(rng, rank)
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
	r.onWay[key] = append(r.onWay[key], letter{r.bytes, r.on(rank)})
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
}

// take receives the first message of a channel, by a request if there is one.
func (r *ranks) take(key [3]int, byRequest bool) {
	rank, m := key[1], r.onWay[key][0]
	r.onWay[key] = r.onWay[key][1:]
	if l := r.locations[rank]; len(r.begun[rank]) > 0 && byRequest {
		l.Event(19, uint64(key[0]), 0, uint64(key[2]), m.bytes, r.begun[rank][0].id)
		r.begun[rank] = r.begun[rank][1:]
	} else {
		l.Receive(record.World, key[0], key[2], m.bytes)
	}
	if m.sent && r.on(rank) {
		r.whole[key[0]] = append(r.whole[key[0]], fmt.Sprint("send ", m.bytes))
		r.whole[rank] = append(r.whole[rank], fmt.Sprint("receive ", m.bytes))
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
