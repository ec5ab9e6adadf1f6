package slog2

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/convert/mpe/mpetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// shower makes drawables of a trace, knowing nothing but the trace.
type shower struct {
	t    testing.TB
	r    *store.Reader
	src  trace.Source
	defs *trace.Definitions
	// by location
	lines map[uint64][]shownLine
	times map[uint64][]float64
	ends  map[uint64][]shownLine // line of each event
	list  []plain
}

type shownLine struct{ number, comm uint64 }

// stored writes a trace and opens the file.
func stored(t testing.TB, src trace.Source) *store.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.pando")
	w, err := store.Create(t.Context(), path, src.Meta(), store.Options{SliceEvents: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Copy(t.Context(), w, src, nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(t.Context(), path, store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// shown returns the states that began and ended, the solo events and the arrows of a trace, messages as the engine matched them.
func shown(t testing.TB, r *store.Reader) []plain {
	t.Helper()
	s := &shower{t: t, r: r, src: r.Source(), lines: map[uint64][]shownLine{}, times: map[uint64][]float64{}, ends: map[uint64][]shownLine{}}
	log, err := s.src.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	s.defs = trace.NewDefinitions(log)
	for _, d := range log {
		if w := d.Words; d.Kind == trace.KindMpeLine {
			s.lines[w[1]] = append(s.lines[w[1]], shownLine{w[0], w[2]})
		}
	}
	arrows := map[uint64]plain{}
	for _, stream := range s.src.Streams() {
		if stream.Class == trace.StreamEvents {
			s.location(stream.StreamID, arrows)
		}
	}
	for _, a := range arrows {
		s.list = append(s.list, a)
	}
	s.messages()
	return s.list
}

func (s *shower) each(id trace.StreamID, visit func(b *trace.Batch, i int)) {
	s.t.Helper()
	stream, err := s.src.Open(id)
	if err != nil {
		s.t.Fatal(err)
	}
	defer stream.Close()
	var b trace.Batch
	for {
		err := stream.Next(&b, 1000)
		if err == io.EOF {
			return
		}
		if err != nil {
			s.t.Fatal(err)
		}
		for i := range b.Len() {
			visit(&b, i)
		}
	}
}

// begun is a state that has begun.
type begun struct {
	region uint64
	at     float64
	line   shownLine
	cargo  string
}

func (s *shower) location(id trace.StreamID, arrows map[uint64]plain) {
	var segments []mpe.SecondsSegment
	s.each(trace.StreamID{Class: trace.StreamLocalDefinitions, Location: id.Location}, func(b *trace.Batch, i int) {
		w := b.Fields(i)
		segments = append(segments, mpe.SecondsSegment{From: int64(w[0]), Origin: math.Float64frombits(w[1]), Grid: uint8(w[2]), Phase: w[3]})
	})
	clock := mpe.NewSecondsClock(s.src.Meta().Resolution, segments)
	var stack, intervals []begun
	var long string // the end of a cargo that stands before its event
	s.each(id, func(b *trace.Batch, i int) {
		w, now := b.Fields(i), clock.Source(b.Times[i], b.Residual(i))
		line := s.line(b, i)
		s.times[id.Location], s.ends[id.Location] = append(s.times[id.Location], now), append(s.ends[id.Location], line)
		cargo := s.cargo(b.AttrsOf(i), long != "") + long
		long = ""
		o := begun{w[0], now, line, cargo}
		switch b.Kinds[i] {
		case trace.KindAttributeBytes:
			long = string(b.TextOf(w[2]))
		case trace.KindEnter:
			stack = append(stack, o)
		case trace.KindLeave:
			at := len(stack) - 1
			for at >= 0 && stack[at].region != o.region {
				at--
			}
			if at >= 0 {
				s.state(stack[at], o)
				stack = stack[:at]
			}
		case trace.KindIntervalBegin:
			intervals = append(intervals, o)
		case trace.KindIntervalEnd:
			at := slices.IndexFunc(intervals, func(i begun) bool { return i.region == o.region && i.line == o.line })
			if at >= 0 {
				s.state(intervals[at], o)
				intervals = slices.Delete(intervals, at, at+1)
			}
		case trace.KindSoloEvent:
			s.list = append(s.list, s.plain(o, o, 1))
		case trace.KindArrowBegin, trace.KindArrowEnd:
			a := arrows[w[3]]
			a.category, a.vertices = int32(w[0]), 2
			end := 0
			if b.Kinds[i] == trace.KindArrowEnd {
				end = 1
			}
			a.cargo += cargo // one end has it
			a.times[end], a.lines[end] = now, int32(line.number)
			arrows[w[3]] = a
		}
	})
}

// cargo returns the bytes of a cargo; whole means that there is more of it.
func (s *shower) cargo(attrs []trace.Attr, whole bool) string {
	text := func(id uint64) string { return s.defs.Strings[id] }
	if mpetest.Cargo(attrs, 0, text) == nil {
		return ""
	}
	values := slices.DeleteFunc(slices.Clone(attrs), func(a trace.Attr) bool { return a.ID < mpe.FirstCargoAttr })
	bytes := 0
	for _, a := range values {
		switch a.Type {
		case trace.ValueString:
			bytes += 2 + len(s.defs.Strings[a.Value])
		case trace.ValueInt16:
			bytes += 2
		case trace.ValueInt64, trace.ValueUint64, trace.ValueDouble:
			bytes += 8
		default:
			bytes += 4
		}
	}
	cargo := string(mpetest.Cargo(attrs, bytes+mpe.CargoBytes, text))
	if !whole {
		cargo = cargo[:max(len(strings.TrimRight(cargo, "\x00")), mpe.CargoBytes)]
	}
	return cargo
}

// state adds a state. Its cargo is that of the end, or of the begin if the end has none.
func (s *shower) state(begin, end begun) {
	if end.cargo == "" {
		end.cargo = begin.cargo
	}
	s.list = append(s.list, s.plain(begin, end, 2))
}

func (s *shower) plain(begin, end begun, vertices int) plain {
	return plain{category: int32(begin.region), cargo: end.cargo, times: [2]float64{begin.at, end.at},
		lines: [2]int32{int32(begin.line.number), int32(end.line.number)}, vertices: vertices}
}

// line returns the line of an event.
func (s *shower) line(b *trace.Batch, i int) shownLine {
	comm, named, number, numbered := uint64(0), false, uint64(0), false
	spec := trace.Standard.Spec(b.Kinds[i])
	if f := spec.Field("communicator"); f >= 0 {
		comm, named = b.Fields(i)[f], true
	}
	if c, ok := s.defs.Comms[comm]; ok && named && c.Inter {
		if _, _, member := s.defs.OwnRank(c.Group, b.Location); member {
			comm = c.Group
		} else {
			comm = c.Group2
		}
	}
	for _, a := range b.AttrsOf(i) {
		switch a.ID {
		case mpe.AttrCommunicator:
			comm, named = a.Value, true
		case mpe.AttrLine:
			number, numbered = a.Value, true
		}
	}
	for _, l := range s.lines[b.Location] {
		if numbered && l.number == number || !numbered && (!named || l.comm == comm) {
			return l
		}
	}
	s.t.Fatalf("location %d has no line of communicator %d, number %d", b.Location, comm, number)
	return shownLine{}
}

// messages adds the messages as arrows.
func (s *shower) messages() {
	for m, err := range s.r.Window(math.MinInt64, math.MaxInt64).Messages() {
		if err != nil {
			s.t.Fatal(err)
		}
		from, to := int(m.SendOrdinal), int(m.ReceiveOrdinal)
		cargo := binary.BigEndian.AppendUint32(nil, uint32(m.Tag))
		cargo = binary.BigEndian.AppendUint32(cargo, uint32(m.SendLength))
		s.list = append(s.list, plain{category: messageCategory, cargo: string(cargo), vertices: 2,
			times: [2]float64{s.times[m.SendLocation][from], s.times[m.ReceiveLocation][to]},
			lines: [2]int32{int32(s.ends[m.SendLocation][from].number), int32(s.ends[m.ReceiveLocation][to].number)}})
	}
}

// key identifies a drawable by all that there is to it, but for zeros at the end of its cargo.
func (p *plain) key() string {
	cargo := strings.TrimRight(p.cargo, "\x00")
	return fmt.Sprintf("%d %x %x %x %v %v %d", p.category, math.Float64bits(p.times[0]), math.Float64bits(p.times[1]), cargo, p.cargo == "", p.lines, p.vertices)
}

// difference returns what one list has more of than the other, and the other way round.
func difference(a, b []plain) (more, less []plain) {
	have := map[string]int{}
	for i := range b {
		have[b[i].key()]++
	}
	for i := range a {
		if have[a[i].key()]--; have[a[i].key()] < 0 {
			more = append(more, a[i])
		}
	}
	for i := range b {
		if have[b[i].key()] > 0 {
			have[b[i].key()]--
			less = append(less, b[i])
		}
	}
	return more, less
}

// Every state, arrow and event of a file is in the trace, with its very times, line and cargo; and in a Pando file of it.
func TestDrawables(t *testing.T) {
	for _, path := range files(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			a, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got, want := shown(t, stored(t, a)), readPlain(t, path).drawables
			if more, less := difference(got, want); len(more)+len(less) > 0 {
				t.Errorf("%d drawables of %d, %d too many, %d missing; for example\n%+v\n%+v", len(got), len(want), len(more), len(less), more[:min(len(more), 3)], less[:min(len(less), 3)])
			}
			for _, w := range a.Warnings() {
				if w.Kind != "states that do not nest" {
					t.Errorf("warning: %+v", w)
				}
			}
		})
	}
}
