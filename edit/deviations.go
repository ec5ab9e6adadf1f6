package edit

import (
	"cmp"
	"slices"
	"sync"

	"github.com/pandotrace/pando/trace"
)

// deviations find, while a trace is made coarse, how much longer the calls of each region are in the original.
type deviations struct {
	defined  int               // definitions that were looked at
	contexts map[uint64]uint64 // the region of each

	mu    sync.Mutex
	walks map[uint64]*callWalk // by location: of the stream of events that was opened last
}

// newDeviations reads the contexts that calls may be of.
func newDeviations(src trace.Source) (*deviations, error) {
	d := &deviations{contexts: map[uint64]uint64{}, walks: map[uint64]*callWalk{}}
	return d, d.define(src)
}

// define reads what contexts were defined since.
func (d *deviations) define(src trace.Source) error {
	const part = 1 << 12
	for {
		defs, err := trace.DefinitionsPart(src, d.defined, part)
		if err != nil || len(defs) == 0 {
			return err
		}
		d.defined += len(defs)
		for i := range defs {
			w := defs[i].Words
			if defs[i].Kind != trace.KindCallingContext || len(w) < 2 {
				continue
			}
			if _, defined := d.contexts[w[0]]; !defined { // the first definition counts
				d.contexts[w[0]] = w[1]
			}
		}
	}
}

// walk returns a walk through the events of a location.
func (d *deviations) walk(location uint64) *callWalk {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := &callWalk{contexts: d.contexts}
	d.walks[location] = w
	return w
}

// sum adds up the deviations of all locations. They are not known before all events were read, if they might not fit, or if calls came before what says of which
// region they are.
func (d *deviations) sum(src trace.Source, bound trace.Bound) (list []trace.CallDeviation, known bool) {
	var events uint64
	var end *callWalk // that of the last event
	contexts := len(d.contexts)
	if err := d.define(src); err != nil {
		return nil, false
	}
	for _, s := range src.Streams() {
		if s.Class != trace.StreamEvents {
			continue
		}
		w := d.walks[s.Location]
		if w == nil || !w.ended || w.undefined && len(d.contexts) > contexts {
			return nil, false
		}
		if events += w.events; w.events > 0 && (end == nil || w.last > end.last) {
			end = w
		}
	}
	if events >= (1<<62)/(2*bound.Bound+1) {
		return nil, false
	}
	sums := map[uint64]trace.CallDeviation{}
	for _, w := range d.walks {
		for len(w.open) > 0 {
			w.pop(end.off)
		}
		for _, r := range w.regions {
			addDeviation(sums, trace.CallDeviation{Region: r.region, Inclusive: r.inclusive, Exclusive: r.exclusive, Busy: r.busy})
		}
	}
	return sortedDeviations(sums), true
}

func sortedDeviations(sums map[uint64]trace.CallDeviation) []trace.CallDeviation {
	list := []trace.CallDeviation{}
	for _, s := range sums {
		if s != (trace.CallDeviation{Region: s.Region}) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b trace.CallDeviation) int { return cmp.Compare(a.Region, b.Region) })
	return list
}

// addDeviations adds the deviations of a trace from its original and those of a coarser one from it.
func addDeviations(a, b []trace.CallDeviation) []trace.CallDeviation {
	sums := map[uint64]trace.CallDeviation{}
	for _, d := range slices.Concat(a, b) {
		addDeviation(sums, d)
	}
	return sortedDeviations(sums)
}

func addDeviation(sums map[uint64]trace.CallDeviation, d trace.CallDeviation) {
	s := sums[d.Region]
	sums[d.Region] = trace.CallDeviation{Region: d.Region, Count: s.Count + d.Count, Inclusive: s.Inclusive + d.Inclusive, Exclusive: s.Exclusive + d.Exclusive, Busy: s.Busy + d.Busy}
}

// callWalk follows the calls of a location as [trace.Call] says. All it looks at of times is by how many ticks they are rounded down: what an end lost
// less what a begin lost is what the call lost.
type callWalk struct {
	contexts  map[uint64]uint64
	events    uint64
	last, off int64 // the time of the last event, and what it lost
	ended     bool
	undefined bool // there are calls of contexts that are not defined, perhaps not yet

	open    []followedCall
	keys    [2]trace.Numbers // of regions and contexts that were entered
	entered [2][]enteredKey
	numbers trace.Numbers // of regions
	regions []regionDeviation
}

// followedCall is a call that has not ended.
type followedCall struct {
	key      uint32
	class    uint8 // of the key
	begin    int64 // what its begin lost
	children int64 // what they lost together
}

// enteredKey is the region or the context of an enter.
type enteredKey struct {
	open   int32  // number of open calls
	region uint32 // its number
}

// regionDeviation adds up what the calls of a region lost.
type regionDeviation struct {
	region                     uint64
	open                       int32
	begin                      int64 // of the outermost open call
	inclusive, exclusive, busy int64
}

// Classes of keys.
const (
	ofRegion  = 0
	ofContext = 1
)

// add goes through a batch whose times were some others before they were rounded.
func (w *callWalk) add(b *trace.Batch, was []int64) {
	for i, k := range b.Kinds {
		class := uint8(ofRegion)
		switch k {
		case trace.KindEnter, trace.KindLeave:
		case trace.KindCallingContextEnter, trace.KindCallingContextLeave:
			class = ofContext
		default:
			continue
		}
		f := b.Fields(i)
		switch off := was[i] - b.Times[i]; {
		case len(f) == 0:
		case k == trace.KindEnter || k == trace.KindCallingContextEnter:
			w.enter(class, f[0], off)
		default:
			w.leave(class, f[0], off)
		}
	}
	if n := len(was); n > 0 {
		w.events += uint64(n)
		w.last, w.off = was[n-1], was[n-1]-b.Times[n-1]
	}
}

func (w *callWalk) enter(class uint8, id uint64, off int64) {
	key, ok := w.keys[class].Of(id)
	if !ok {
		key = w.keys[class].Add(id)
		w.entered[class] = append(w.entered[class], enteredKey{region: w.regionOf(class, id)})
	}
	e := &w.entered[class][key]
	e.open++
	r := &w.regions[e.region]
	if r.open++; r.open == 1 {
		r.begin = off
	}
	w.open = append(w.open, followedCall{key: key, class: class, begin: off})
}

// regionOf returns the number of the region that calls of a key are of.
func (w *callWalk) regionOf(class uint8, id uint64) uint32 {
	if class == ofContext {
		region, ok := w.contexts[id]
		if id = region; !ok {
			id, w.undefined = trace.Undefined, true
		}
	}
	n, ok := w.numbers.Of(id)
	if !ok {
		n = w.numbers.Add(id)
		w.regions = append(w.regions, regionDeviation{region: id})
	}
	return n
}

// leave ends the nearest open call of the key, and those inside of it. Without one it ends nothing.
func (w *callWalk) leave(class uint8, id uint64, off int64) {
	key, ok := w.keys[class].Of(id)
	if !ok || w.entered[class][key].open == 0 {
		return
	}
	for {
		c := &w.open[len(w.open)-1]
		found := c.key == key && c.class == class
		w.pop(off)
		if found {
			return
		}
	}
}

// pop ends the innermost open call.
func (w *callWalk) pop(off int64) {
	n := len(w.open) - 1
	c := w.open[n]
	w.open = w.open[:n]
	e := &w.entered[c.class][c.key]
	e.open--
	r := &w.regions[e.region]
	lost := off - c.begin
	r.inclusive += lost
	r.exclusive += lost - c.children
	if r.open--; r.open == 0 {
		r.busy += off - r.begin
	}
	if n > 0 {
		w.open[n-1].children += lost
	}
}
