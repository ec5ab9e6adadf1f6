package tracegen

import "github.com/pandotrace/pando/trace"

// firstDefinitionKind divides events from all other records of the standard table.
const firstDefinitionKind trace.Kind = 0x100

// Random makes an adversarial trace: valid by the rules of package trace, and otherwise as bad as the knobs say. Equal seeds
// and knobs give equal traces.
func Random(seed uint64, k Knobs) *Trace {
	p := &program{Trace: New(trace.Meta{Format: "random", Resolution: 1_000_000_000, Epoch: seed}), Knobs: k, dice: newDice(seed, 1)}
	if k.Private {
		p.meta.Kinds = privateTable()
	}
	p.meta.Properties = []trace.Property{{Name: "random.empty"}, {Name: "random.text", Value: p.text()}}
	p.events = kindsIn(p.meta.Table(), 0, firstDefinitionKind)
	p.events = append(p.events, kindsIn(p.meta.Table(), trace.FirstPrivateKind, ^trace.Kind(0))...)
	p.defineCode()
	p.defineMachine()
	p.mail()
	for range 3 {
		p.motifs = append(p.motifs, p.motif())
	}
	if k.Auxiliary {
		p.auxiliary()
	}
	for _, a := range p.actors {
		a.perform()
	}
	if k.Late {
		p.defineLate()
	}
	return p.Trace
}

// program is a random trace in the making.
type program struct {
	*Trace
	Knobs
	dice
	events    []*trace.Spec // all kinds of events
	regions   []uint64
	contexts  []uint64
	processes []*processPlan
	comms     []comm
	actors    []*actor
	motifs    []*trace.Batch
}

// privateTable is the standard table with kinds of its own that use what no standard event has.
func privateTable() *trace.Table {
	t := &trace.Table{}
	list := trace.Standard.All()
	list = append(list,
		&trace.Spec{ID: trace.FirstPrivateKind, Name: "Nothing"},
		&trace.Spec{ID: trace.FirstPrivateKind + 7, Name: "Everything", Fields: []trace.Field{
			{Name: "text", Type: trace.TypeText, Bits: 64},
			{Name: "double", Type: trace.TypeDouble, Bits: 64, Role: trace.Value},
			{Name: "count", Type: trace.TypeCount, Bits: 32},
			{Name: "name", Type: trace.TypeText, Bits: 64, Role: trace.Value, Repeat: true},
			{Name: "code", Type: trace.TypeCode, Bits: 8, Repeat: true},
			{Name: "value", Type: trace.TypeValue, Bits: 64, Repeat: true},
			{Name: "region", Type: trace.TypeRef, Bits: 32, Ref: trace.SpaceRegion, Key: true},
			{Name: "instant", Type: trace.TypeTime, Bits: 64, Role: trace.Value}}})
	for _, s := range list {
		if err := t.Add(s); err != nil {
			panic(err) // two kinds above share a number: a mistake in this file
		}
	}
	return t
}

// defineCode defines regions, and a tree of calling contexts over them.
func (p *program) defineCode() {
	for range p.Regions {
		p.regions = append(p.regions, p.Region("function"))
	}
	if !p.Contexts {
		return
	}
	parent := uint64(undefined32)
	for range 2 * p.Regions {
		c := p.Context(choose(p.dice, p.regions), parent)
		p.contexts = append(p.contexts, c)
		parent = choose(p.dice, append(p.contexts, undefined32))
	}
	p.contexts = append(p.contexts, 1000) // has no definition
}

// auxiliary adds streams of all classes with random records, and a random definition of each kind.
func (p *program) auxiliary() {
	for _, spec := range kindsIn(p.meta.Table(), firstDefinitionKind, 0x180) {
		if spec.ID != trace.KindLocation { // a location would need an event stream
			p.DefineRecord(p.definition(spec))
		}
	}
	p.DefineRecord(p.log[0]) // a duplicate
	kinds := map[trace.StreamClass][]*trace.Spec{
		trace.StreamLocalDefinitions: kindsIn(p.meta.Table(), 0x180, 0x200),
		trace.StreamSnapshots:        kindsIn(p.meta.Table(), 0x200, 0x280),
		trace.StreamMarkers:          kindsIn(p.meta.Table(), 0x280, 0x28a),
		trace.StreamThumbnails:       kindsIn(p.meta.Table(), 0x28a, 0x300),
		trace.StreamStatistics:       kindsIn(p.meta.Table(), 0x300, trace.FirstPrivateKind),
	}
	for class := trace.StreamLocalDefinitions; class <= trace.StreamStatistics; class++ {
		for _, number := range p.streamNumbers(class) {
			b := p.Stream(trace.StreamID{Class: class, Location: number})
			for range p.IntN(30) {
				p.event(b, int64(p.number(64)), choose(p.dice, kinds[class]))
			}
		}
	}
}

// streamNumbers returns what follows the class in the names of auxiliary streams.
func (p *program) streamNumbers(class trace.StreamClass) []uint64 {
	if class == trace.StreamMarkers || class == trace.StreamThumbnails {
		return []uint64{0, 1}
	}
	var some []uint64
	for _, a := range p.actors {
		if p.chance(0.5) {
			some = append(some, a.location)
		}
	}
	return some
}

// defineLate adds definitions of what the events referred to already.
func (p *program) defineLate() {
	p.DefineLate(stringRecord(1<<20, "late"))
	p.DefineLate(trace.Record{Kind: trace.KindRegion, Words: []uint64{uint64(p.Regions), 1 << 20, undefined32, undefined32, 0, 0, 1 << 20, 0, 0, 0}})
	if p.Contexts {
		p.DefineLate(trace.Record{Kind: trace.KindCallingContext, Words: []uint64{1000, p.regions[0], undefined32, undefined32}})
	}
}
