package tracegen

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// Wordy is a kind of trace that is mostly texts and definitions, with few events.
type Wordy struct {
	// Name is one word, What says what there is much of.
	Name, What string
	// Usual is the usual number of these.
	Usual int

	write func(t *Trace, b *trace.Batch, r *rand.Rand, n int)
}

var wordy = []Wordy{
	{"attribute-texts", "kilobytes of attributes of events, each a text of 1 to 100 kB", 20_000, attributeTexts},
	{"metrics", "definitions of metrics: members, their names and their classes", 72_584, metrics},
	{"similar-names", "regions with names that are alike", 100_000, similarNames},
}

// Wordies lists all kinds of texts and definitions.
func Wordies() []Wordy { return append([]Wordy(nil), wordy...) }

// Trace makes a trace with n of what there is much of, or with the usual number if n is 0. Equal arguments give equal traces.
func (w *Wordy) Trace(n int, seed uint64) *Trace {
	if n < 1 {
		n = w.Usual
	}
	t := New(trace.Meta{Resolution: 1_000_000_000})
	b := t.Location(0, t.Process("process"))
	w.write(t, b, rand.New(rand.NewPCG(seed, 1)), n)
	return t
}

// attributeTexts logs what a run-time system tells of its steps: lines of a few forms, with numbers, names and now and then an address.
func attributeTexts(t *Trace, b *trace.Batch, r *rand.Rand, n int) {
	region := t.Region("step")
	attribute := t.newID(trace.SpaceAttribute)
	t.Define(trace.KindAttribute, attribute, t.String("log"), uint64(trace.ValueString), t.String("what the step did"))
	for now := int64(0); n > 0; now += 1000 {
		size := min(n*1000, int(1000*logUniform(r, 100)))
		id := t.String(logOf(r, now, size))
		b.Append(trace.KindEnter, now, region)
		b.SetAttrs([]trace.Attr{{ID: attribute, Type: trace.ValueString, Value: id}})
		b.Append(trace.KindLeave, now+500, region)
		n -= (size + 999) / 1000
	}
}

// logUniform draws from 1 to most, each order of magnitude as often as the others.
func logUniform(r *rand.Rand, most float64) float64 {
	x := 1.0
	for range 64 {
		x *= 1 + r.Float64()*0.1438 // the mean of 64 steps is a factor of some 100
		if x >= most {
			return most
		}
		if r.IntN(24) == 0 {
			break
		}
	}
	return x
}

// logOf makes a text of a size, in lines.
func logOf(r *rand.Rand, now int64, size int) string {
	var s strings.Builder
	for line := int64(0); s.Len() < size; line++ {
		at := now + 7*line + r.Int64N(7)
		switch k := r.IntN(20); {
		case k < 10:
			fmt.Fprintf(&s, "[%12d] task %d: block (%d,%d,%d) residual %.6e after %d iterations\n", at, r.IntN(512), r.IntN(16), r.IntN(16), r.IntN(16), r.Float64(), 1+r.IntN(40))
		case k < 15:
			fmt.Fprintf(&s, "[%12d] cache: %s of %d bytes for array_%d, %d hits, %d misses\n", at, []string{"load", "store", "evict"}[r.IntN(3)], 64<<r.IntN(8), r.IntN(60), r.IntN(10000), r.IntN(300))
		case k < 19:
			fmt.Fprintf(&s, "[%12d] halo exchange with rank %d, tag %d: %d elements sent, %d received\n", at, r.IntN(64), r.IntN(8), 1000+r.IntN(24), 1000+r.IntN(24))
		default:
			fmt.Fprintf(&s, "[%12d] allocated %d bytes at 0x%012x in pool %d\n", at, 4096<<r.IntN(10), r.Uint64N(1<<40)<<4, r.IntN(4))
		}
	}
	return s.String()[:size]
}

// metrics defines the counters of many devices, as plugins for metrics do: each device has all counters, in a class of its own.
func metrics(t *Trace, b *trace.Batch, r *rand.Rand, n int) {
	const each = 43
	counters := []string{"energy", "power", "temperature", "clock", "bytes_read", "bytes_written", "packets", "errors"}
	unit := []string{"J", "W", "K", "Hz", "B", "B", "#", "#"}
	var members []uint64
	for i := range n {
		k := i % each % len(counters)
		name := t.String(fmt.Sprintf("node%04d/device%02d/%s_%d", i/(each*8), i/each%8, counters[k], i%each/len(counters)))
		id := t.newID(trace.SpaceMetricMember)
		t.Define(trace.KindMetricMember, id, name, t.String("of a device, read by a plugin"), 0, 0, uint64(trace.ValueUint64), 10, 0, t.String(unit[k]))
		if members = append(members, id); len(members) == each || i == n-1 {
			class := t.newID(trace.SpaceMetric)
			words := append([]uint64{class, uint64(len(members))}, members...)
			t.Define(trace.KindMetricClass, append(words, 0, 0)...)
			members = nil
		}
	}
	region := t.Region("main")
	b.Append(trace.KindEnter, 0, region)
	b.Append(trace.KindLeave, r.Int64N(1000)+1, region)
}

// similarNames defines functions of templates, whose names have types and numbers in them, and calls some of them.
func similarNames(t *Trace, b *trace.Batch, r *rand.Rand, n int) {
	types := []string{"double", "float", "int", "std::complex<double>", "std::vector<double>", "Kokkos::View<double**>"}
	spaces := []string{"solver", "mesh", "io", "linear_algebra", "particles"}
	regions := make([]uint64, n)
	for i := range n {
		regions[i] = t.Region(fmt.Sprintf("void app::%s::kernel_%d<%s, %d>::operator()(%s const&, int) const", spaces[r.IntN(len(spaces))], i/7,
			types[r.IntN(len(types))], 1<<r.IntN(6), types[i%len(types)]))
	}
	for now := range int64(1000) {
		region := regions[r.IntN(n)]
		b.Append(trace.KindEnter, 10*now, region)
		b.Append(trace.KindLeave, 10*now+5, region)
	}
}
