package scale

import "github.com/pandotrace/pando/trace"

// patch is a word of the base's events that is another one whenever it is played.
type patch struct {
	event, word int // word is a place among all words of the location
	// perCopy and perRepetition are added for each copy and each repetition before.
	perCopy, perRepetition uint64
	// instant marks a time, which moves with the event's own.
	instant bool
}

// patcher finds patches: ids that each copy has for itself, numbers of requests and counters, which go on rising from
// repetition to repetition, and times.
type patcher struct {
	*Base
	numbers map[string]bool // names of fields that number requests
	skipped []bool          // by kind: there is nothing to be found
	*location
	growths map[growing]*growth
	grows   []*growth // by patch of the location, nil for most
}

// growing is a field that numbers requests, or a member of a metric.
type growing struct {
	name   string
	metric uint64
	member int
}

// growth is the range of what grows, over the body.
type growth struct {
	low, high uint64
	seen      bool
}

// step is the difference between a repetition and the one before it, so that each continues its predecessor.
func (g *growth) step() uint64 {
	if !g.seen {
		return 0
	}
	return g.high - g.low + 1
}

func (g *growth) add(x uint64) {
	if !g.seen {
		g.low, g.high, g.seen = x, x, true
	}
	g.low, g.high = min(g.low, x), max(g.high, x)
}

// findPatches finds the patches of all locations.
func (b *Base) findPatches() {
	p := patcher{Base: b, numbers: map[string]bool{}}
	all := b.meta.Table().All()
	for _, spec := range all {
		p.findNumbers(spec)
	}
	for _, spec := range all {
		for len(p.skipped) <= int(spec.ID) {
			p.skipped = append(p.skipped, true)
		}
		p.skipped[spec.ID] = !p.touches(spec)
	}
	for _, l := range b.locations {
		p.find(l)
	}
}

// findNumbers finds the fields of a kind that hold numbers which pairs are known by, and which are not used for ever.
func (p *patcher) findNumbers(spec *trace.Spec) {
	for _, pair := range spec.Pairs {
		for _, key := range pair.Keys {
			if f := spec.Field(key); f >= 0 && spec.Fields[f].Role == trace.Value {
				p.numbers[key] = true
			}
		}
	}
}

func (p *patcher) touches(spec *trace.Spec) bool {
	for i := range spec.Fields {
		f := &spec.Fields[i]
		if f.Type == trace.TypeTime || f.Type == trace.TypeRef && p.ids.steps[f.Ref] > 0 || p.numbers[f.Name] {
			return true
		}
	}
	return spec.ID == trace.KindMetric
}

func (p *patcher) find(l *location) {
	p.location, p.growths, p.grows = l, map[growing]*growth{}, nil
	table := p.meta.Table()
	for i, kind := range l.events.Kinds {
		if p.skipped[kind] {
			continue
		}
		at := int(l.events.Starts[i])
		table.Spec(kind).Walk(l.events.Fields(i), func(w int, f *trace.Field, word uint64) { p.word(i, at+w, f, word) })
		if kind == trace.KindMetric {
			p.metric(i)
		}
	}
	for i, g := range p.grows {
		if g != nil {
			l.patches[i].perRepetition = g.step()
		}
		if l.patches[i].event < l.from {
			l.bodyPatch = i + 1
		}
	}
}

func (p *patcher) word(event, at int, f *trace.Field, word uint64) {
	switch {
	case f.Type == trace.TypeTime:
		p.add(patch{event: event, word: at, instant: true}, nil)
	case f.Type == trace.TypeRef && p.ids.owns(f.Ref, word):
		p.add(patch{event: event, word: at, perCopy: p.ids.steps[f.Ref]}, nil)
	case p.numbers[f.Name] && f.Role == trace.Value && !f.Undefined(word):
		p.add(patch{event: event, word: at}, p.growth(event, growing{name: f.Name}, word))
	}
}

// metric patches the values of whole numbers that only grow.
func (p *patcher) metric(event int) {
	words := p.events.Fields(event)
	for i, id := range p.definitions.MetricMembers(words[0]) {
		at := 2 + 2*i // of a type and a value
		if at+1 >= len(words) {
			return
		}
		const accumulated, property = 0, 15
		whole := trace.ValueType(words[at]) >= trace.ValueUint8 && trace.ValueType(words[at]) <= trace.ValueInt64
		if whole && p.definitions.Members[id].Mode&property == accumulated {
			p.add(patch{event: event, word: int(p.events.Starts[event]) + at + 1},
				p.growth(event, growing{metric: words[0], member: i}, words[at+1]))
		}
	}
}

func (p *patcher) growth(event int, what growing, x uint64) *growth {
	g := p.growths[what]
	if g == nil {
		g = &growth{}
		p.growths[what] = g
	}
	if event >= p.from && event < p.to {
		g.add(x)
	}
	return g
}

func (p *patcher) add(x patch, g *growth) {
	p.patches = append(p.patches, x)
	p.grows = append(p.grows, g)
}
