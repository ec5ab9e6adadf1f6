package spec

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// plainContent is something that tables of summaries count.
type plainContent struct {
	part        int
	lanes       [2]uint64
	first, last uint64 // slices
	level       uint64 // of the node that it is an item of at least
	key         plainSummaryKey
	sums        [8]uint64 // of part 3 those of one value
}

// plainContents collects what there is, slice by slice.
type plainContents struct {
	file   *plainFile
	want   *model.Trace
	stacks map[uint64][]plainOpen // by location
	stays  []plainStay
	since  map[uint64]int64 // of each location: when it came into the call that it is in
	end    int64            // of the trace
	all    []plainContent
}

// plainStay is some time that a location is in a call of a region.
type plainStay struct {
	location, region uint64
	from, to         int64
}

// stay ends the time in the innermost call.
func (c *plainContents) stay(location uint64, t int64) {
	if stack := c.stacks[location]; len(stack) > 0 && c.since[location] < t {
		c.stays = append(c.stays, plainStay{location, stack[len(stack)-1].region, c.since[location], t})
	}
	c.since[location] = t
}

// plainOpen is a call on a stack.
type plainOpen struct {
	key, region, slice uint64
	context            bool
	start              int64
}

// collect follows the call stacks of a lane through a slice, and finds its other events.
func (c *plainContents) collect(number uint64, s *plainSlice) {
	for i := range s.runs {
		run := &s.runs[i]
		for _, r := range run.records {
			c.end = max(c.end, r.Time)
			c.event(run.location, number, r)
		}
	}
}

func (c *plainContents) event(location, slice uint64, r model.Record) {
	switch r.Kind {
	case trace.KindEnter, trace.KindCallingContextEnter:
		o := plainOpen{key: r.Words[0], region: r.Words[0], slice: slice, context: r.Kind == trace.KindCallingContextEnter, start: r.Time}
		if o.context {
			o.region = trace.Undefined
			if context, ok := c.want.Definitions.Contexts[o.key]; ok {
				o.region = context.Region
			}
		}
		c.stay(location, r.Time)
		c.stacks[location] = append(c.stacks[location], o)
	case trace.KindLeave, trace.KindCallingContextLeave:
		stack := c.stacks[location]
		for i := len(stack) - 1; i >= 0; i-- {
			if stack[i].key == r.Words[0] && stack[i].context == (r.Kind == trace.KindCallingContextLeave) {
				c.close(location, i, slice, r.Time)
				break
			}
		}
	case trace.KindMpiCollectiveEnd, trace.KindNonBlockingCollectiveComplete:
		c.add(2, location, slice, plainSummaryKey{location, r.Words[0], r.Words[1]}, [8]uint64{1, r.Words[3], r.Words[4]})
	case trace.KindMetric:
		for i := range r.Words[1] {
			value, time := r.Words[3+2*i], uint64(r.Time)
			c.add(3, location, slice, plainSummaryKey{location, r.Words[0], i, r.Words[2+2*i] % 256}, [8]uint64{1, time, time, value, value, value})
		}
	}
}

func (c *plainContents) add(part int, location, slice uint64, k plainSummaryKey, sums [8]uint64) {
	lane := c.file.locations[location].lane
	c.all = append(c.all, plainContent{part: part, lanes: [2]uint64{lane, lane}, first: slice, last: slice, key: k, sums: sums})
}

// close ends the calls from some depth on.
func (c *plainContents) close(location uint64, depth int, slice uint64, end int64) {
	c.stay(location, end)
	stack := c.stacks[location]
	for top := len(stack) - 1; top >= depth; top-- {
		o := stack[top]
		ticks := uint64(end - o.start)
		sums := [8]uint64{1, ticks}
		for _, outer := range stack[:top] {
			if outer.region == o.region {
				sums[2] = ticks
			}
		}
		c.add(0, location, o.slice, plainSummaryKey{location, o.region}, sums)
		c.all[len(c.all)-1].last = slice
		if top > 0 {
			c.add(0, location, o.slice, plainSummaryKey{location, stack[top-1].region}, [8]uint64{3: ticks})
			c.all[len(c.all)-1].last = slice
		}
	}
	c.stacks[location] = stack[:depth]
}

// message adds a message with its slices, and the level of the node that it is an item of.
func (c *plainContents) message(m *plainItem) {
	index := func(id uint64) uint64 {
		return uint64(slices.IndexFunc(c.file.locations, func(l plainLocation) bool { return l.id == id }))
	}
	send, receive := index(m.SendLocation), index(m.ReceiveLocation)
	c.all = append(c.all, plainContent{
		part: 1, lanes: [2]uint64{c.file.locations[send].lane, c.file.locations[receive].lane}, level: m.level,
		first: min(m.slices[0], m.slices[1]), last: max(m.slices[0], m.slices[1]),
		key: plainSummaryKey{send, receive}, sums: [8]uint64{1, m.SendLength},
	})
}

// finish ends the calls that are open at the end of the trace.
func (c *plainContents) finish() {
	for location := range c.stacks {
		c.close(location, 0, c.file.nSlices-1, c.end)
	}
}

// vector adds up what a lane has of a part in some slices of a node.
func (c *plainContents) vector(part int, k plainKey, first, end uint64) plainVector {
	v := plainVector{}
	for i := range c.all {
		x := &c.all[i]
		if x.part != part || x.lanes[0] != k.lane && x.lanes[1] != k.lane || x.first < first || x.last >= end || x.level > uint64(k.level) {
			continue
		}
		sums, known := v[x.key]
		switch {
		case part == plainMetrics && known:
			joinPlain(plainType(x.key[3]), &sums, x.sums)
		case part == plainMetrics:
			sums = x.sums
		default:
			for i, s := range x.sums {
				sums[i] += s
			}
		}
		if sums != [8]uint64{} {
			v[x.key] = sums
		}
	}
	return v
}

// joinPlain adds a value that comes later to samples.
func joinPlain(typ trace.ValueType, s *[8]uint64, x [8]uint64) {
	ticks := x[1] - s[2]
	switch {
	case ticks == 0:
	case typ.IsFloat():
		s[6] = math.Float64bits(math.Float64frombits(s[6]) + typ.Float(s[3])*float64(ticks))
	default:
		s[6], s[7] = plainHalves(plainWhole(s[6], s[7]).Add(plainWhole(s[6], s[7]), plainProduct(typ, s[3], ticks)))
	}
	s[0]++
	s[2], s[3] = x[2], x[3]
	if typ.Compare(x[3], s[4]) < 0 {
		s[4] = x[3]
	}
	if typ.Compare(x[3], s[5]) > 0 {
		s[5] = x[3]
	}
}

func plainType(word uint64) trace.ValueType { return trace.ValueType(word) }

// plainProduct returns a value of an integral type times a number of ticks.
func plainProduct(typ trace.ValueType, value, ticks uint64) *big.Int {
	v := new(big.Int).SetUint64(value)
	if typ.IsSigned() {
		v.SetInt64(int64(value))
	}
	return v.Mul(v, new(big.Int).SetUint64(ticks))
}

var plainModulus = new(big.Int).Lsh(big.NewInt(1), 64)

// plainWhole puts the halves of a number of 128 bits together, plainHalves takes it apart.
func plainWhole(low, high uint64) *big.Int {
	v := new(big.Int).SetUint64(high)
	return v.Mul(v, plainModulus).Add(v, new(big.Int).SetUint64(low))
}

func plainHalves(v *big.Int) (low, high uint64) {
	h, l := new(big.Int).DivMod(v, plainModulus, new(big.Int))
	return l.Uint64(), h.Mod(h, plainModulus).Uint64()
}

// checkSummaries compares all tables with what lies in the slices.
func checkSummaries(t *testing.T, c *plainContents) {
	t.Helper()
	f := c.file
	for k, b := range f.blocks {
		if k.kind != 11 {
			continue
		}
		width := uint64(1)
		for range k.level {
			width *= f.fanout
		}
		for part, vectors := range f.summary(k, b) {
			first, end := k.number*width, min((k.number+1)*width, f.nSlices)
			run := width / f.fanout // slices
			for (end-first+run-1)/run > uint64(len(vectors)) && len(vectors) > 0 {
				run *= 2
			}
			for i, got := range vectors {
				from := first + uint64(i)*run
				checkVector(t, part, k, got, c.vector(part, k, from, min(from+run, end)))
				if len(got) > 0 {
					met[[]string{"sum of calls", "sum of messages", "sum of collective operations", "sum of metrics"}[part]]++
				}
			}
		}
	}
}

func checkVector(t *testing.T, part int, k plainKey, got, want plainVector) {
	t.Helper()
	for key, sums := range want {
		other := got[key]
		if part == plainMetrics && plainType(key[3]).IsFloat() {
			a, b := math.Float64frombits(sums[6]), math.Float64frombits(other[6])
			if !(math.Abs(a-b) > 1e-9*math.Abs(a)) || math.IsInf(a, 0) { // rounded in another order
				other[6] = sums[6]
			}
		}
		if sums != other {
			t.Fatalf("part %d of %+v: %v is %v, want %v", part, k, key, got[key], sums)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("part %d of %+v: %d lines, want %d", part, k, len(got), len(want))
	}
}
