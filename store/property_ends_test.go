package store_test

import (
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/trace"
)

// stopped is a trace of a program that was killed: each location has only its first events, so that many calls are never left.
type stopped struct {
	trace.Source
	seed uint64
}

func (s *stopped) Open(id trace.StreamID) (trace.Stream, error) {
	stream, err := s.Source.Open(id)
	if err != nil || id.Class != trace.StreamEvents {
		return stream, err
	}
	r := rand.New(rand.NewPCG(s.seed, id.Location))
	return &stoppedStream{stream, 1 + r.IntN(1+r.IntN(60))}, nil
}

type stoppedStream struct {
	trace.Stream
	left int // events
}

func (s *stoppedStream) Next(b *trace.Batch, limit int) error {
	if s.left == 0 {
		b.Reset(b.Location)
		return io.EOF
	}
	err := s.Stream.Next(b, min(limit, s.left))
	s.left -= b.Len()
	return err
}

// Windows that touch the first or the last instant of a trace have what the model says, with many calls that are never left: they are
// open in the last instant too, entered in it or long before.
func TestPropertyEnds(t *testing.T) {
	t.Parallel()
	var open, instants int // calls never left; those of them that are entered in the last instant
	for seed := range uint64(thrift.Of(24, 40)) {
		k := tracegen.RandomKnobs(seed)
		k.Processes, k.Length, k.Any, k.SameTime = max(2, min(k.Processes, 4)), max(k.Length, 30), 0.05, []float64{0.1, 0.5, 0.95}[seed%3]
		s := newSubject(t, func() trace.Source { return &stopped{tracegen.Random(seed, k), seed} })
		first, last, _ := s.model.Span()
		for _, c := range s.calls {
			if c.Flags&trace.CallOpen != 0 {
				open++
				if c.Start == last {
					instants++
				}
			}
		}
		opt := randomOptions(rand.New(rand.NewPCG(seed, 3)))
		c := newChecker(t, s, write(t, s.open(), opt), opt)
		for _, w := range [][2]int64{
			{last, last}, {last, last + 1}, {last, math.MaxInt64}, {last - 1, last}, {last - 1, last + 1}, {last + 1, last + 1}, {last + 1, last + 2},
			{first, last}, {first, first}, {first, first + 1}, {first - 1, first}, {math.MinInt64, first}, {math.MinInt64, last},
		} {
			c.window(model.Window{From: w[0], To: w[1]})
		}
		for _, l := range s.model.Locations {
			for _, at := range []int64{first, last - 1, last, last + 1} {
				got, err := c.reader.CallStack(l.ID, at)
				if err != nil {
					t.Fatal(err)
				}
				same(t, "stack", s.model.CallStack(l.ID, at), got, equals)
			}
		}
		c.verified()
		if t.Failed() {
			t.Fatalf("seed %d, %+v", seed, opt)
		}
	}
	if open < 100 || instants < 10 {
		t.Errorf("%d calls are never left, %d of them are entered in the last instant", open, instants)
	}
}
