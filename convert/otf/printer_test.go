package otf

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// dump is what otfprint says of a trace, or what it would say. Records are sorted by what they are ("event", "snapshot",
// "statistics") and their processes.
type dump struct {
	definitions, markers []string
	records              map[string][]string
}

// printer prints a source as otfprint would. It knows nothing of this package but the attributes' names: so a file made of
// the source can be printed, too.
type printer struct {
	t       testing.TB
	src     trace.Source
	defs    *trace.Definitions
	streams map[uint64]uint64                            // of processes
	numbers map[uint64]map[trace.Space]map[uint64]uint64 // by process: ids as the files have them
	special map[uint64]string                            // attributes
	dump    dump
}

func printed(t testing.TB, src trace.Source) *dump {
	t.Helper()
	p := &printer{t: t, src: src, streams: map[uint64]uint64{}, numbers: map[uint64]map[trace.Space]map[uint64]uint64{},
		special: map[uint64]string{}, dump: dump{records: map[string][]string{}}}
	log, err := src.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	p.defs = trace.NewDefinitions(log)
	for id := range p.defs.Attributes {
		if name := p.defs.Name(trace.SpaceAttribute, id); strings.HasPrefix(name, "otf.") {
			p.special[id] = name
		}
	}
	p.readIndex()
	p.definitions(log)
	for _, class := range []trace.StreamClass{trace.StreamLocalDefinitions, trace.StreamEvents, trace.StreamSnapshots, trace.StreamStatistics, trace.StreamMarkers} {
		for _, s := range src.Streams() { // anew: snapshots among events are known when these were read
			if s.Class == class {
				p.stream(s.StreamID)
			}
		}
	}
	return &p.dump
}

func (p *printer) readIndex() {
	for _, property := range p.src.Meta().Properties {
		if property.Name != "otf.index" {
			continue
		}
		for _, line := range strings.Split(property.Value, "\n") {
			stream, list, ok := strings.Cut(line, ":")
			if !ok {
				continue
			}
			id, _ := strconv.ParseUint(strings.TrimSpace(stream), 16, 32)
			for _, process := range strings.Split(list, ",") {
				n, _ := strconv.ParseUint(strings.TrimSpace(process), 16, 32)
				p.streams[n] = id
			}
		}
	}
}

func (p *printer) stream(id trace.StreamID) {
	list, err := recordsOf(p.src, id, 1000)
	if err != nil {
		p.t.Fatalf("stream %v: %v", id, err)
	}
	switch id.Class {
	case trace.StreamLocalDefinitions:
		p.numbers[id.Location] = inverse(list)
	case trace.StreamMarkers:
		p.dump.markers = append(p.dump.markers, p.lines(list, id.Location, (*printer).marker)...)
	case trace.StreamEvents:
		key := fmt.Sprint("event ", id.Location)
		p.dump.records[key] = p.lines(joined(p, list), id.Location, (*printer).event)
	case trace.StreamSnapshots:
		key := fmt.Sprint("snapshot ", id.Location)
		p.dump.records[key] = p.lines(list, id.Location, (*printer).snapshot)
	case trace.StreamStatistics:
		key := fmt.Sprint("statistics ", id.Location)
		p.dump.records[key] = p.lines(list, id.Location, (*printer).statistics)
	}
}

// inverse turns tables of ids around.
func inverse(tables []record) map[trace.Space]map[uint64]uint64 {
	all := map[trace.Space]map[uint64]uint64{}
	for _, r := range tables {
		m := map[uint64]uint64{}
		for i := 3; i+1 < len(r.words); i += 2 {
			m[r.words[i+1]] = r.words[i]
		}
		all[trace.Space(r.words[0]+1)] = m
	}
	return all
}

// number is the id that the file has for one of the model.
func (p *printer) number(process uint64, space trace.Space, id uint64) uint64 {
	if n, ok := p.numbers[process][space][id]; ok {
		return n
	}
	return id
}

// lines prints records, with the attributes that belong to them.
func (p *printer) lines(list []record, process uint64, line func(*printer, uint64, *record) string) (lines []string) {
	var long []record
	for i := range list {
		r := &list[i]
		if r.kind == trace.KindAttributeBytes {
			long = append(long, *r)
			continue
		}
		s := line(p, process, r)
		switch {
		case r.kind == trace.KindUnknownEvent: // otfprint does not tell
			lines = append(lines, s)
		case s != "":
			lines = append(lines, s+p.keyValues(process, r.attrs, long))
		}
		long = nil
	}
	return lines
}

// keyValues prints the attributes of a record.
func (p *printer) keyValues(process uint64, attrs []trace.Attr, long []record) string {
	var list []string
	for _, a := range attrs {
		if p.special[a.ID] == "" {
			list = append(list, fmt.Sprintf("%d:%s", p.number(process, trace.SpaceAttribute, a.ID), printValue(a.Type, a.Value)))
		}
	}
	for _, r := range long {
		entry := fmt.Sprintf("%d:byte-array(%d)", p.number(process, trace.SpaceAttribute, r.words[0]), len(r.texts[0]))
		list = slices.Insert(list, int(r.words[1]), entry)
	}
	if list == nil {
		return ""
	}
	return ", KeyValue: " + strings.Join(list, ", ")
}

func printValue(typ trace.ValueType, v uint64) string {
	switch typ {
	case trace.ValueChar:
		return string([]byte{byte(v)})
	case trace.ValueFloat:
		return fmt.Sprintf("%.3f", math.Float32frombits(uint32(v)))
	case trace.ValueDouble:
		return fmt.Sprintf("%.3f", math.Float64frombits(v))
	}
	return typ.Format(v)
}

// attr returns the value of a special attribute.
func (p *printer) attr(r *record, name string) (v uint64, ok bool) {
	for _, a := range r.attrs {
		if p.special[a.ID] == name {
			return a.Value, true
		}
	}
	return 0, false
}

func (p *printer) source(process uint64, r *record) uint64 {
	v, ok := p.attr(r, "otf.source")
	if !ok {
		return 0
	}
	return p.number(process, trace.SpaceSourceCodeLocation, v)
}

// peer returns the communicator and the process at the other end.
func (p *printer) peer(process uint64, r *record, comm, rank uint64) (group, peer uint64) {
	peer, named := p.attr(r, "otf.process")
	if !named {
		var ok bool
		if peer, ok = p.defs.RankLocation(comm, rank, process); !ok {
			p.t.Errorf("no rank %d in communicator %d", rank, comm)
		}
	}
	if c, ok := p.attr(r, "otf.communicator"); ok {
		comm = c
	}
	return p.number(process, trace.SpaceComm, comm), peer
}

// operation returns a collective operation, as the file numbers it, with its communicator and root.
func (p *printer) operation(process uint64, r *record) (op, group, root uint64) {
	group = p.number(process, trace.SpaceComm, r.words[1])
	if v, ok := p.attr(r, "otf.process"); ok {
		root = v
	} else if r.words[2] != 1<<32-1 {
		root, _ = p.defs.RankLocation(r.words[1], r.words[2], process)
	}
	if v, ok := p.attr(r, "otf.collective"); ok {
		return v, group, root
	}
	name := "MPI_" + trace.EnumCollectiveOp.Format(r.words[0])
	if n, ok := p.operationOf(p.streams[process], name); ok {
		return n, group, root
	}
	p.t.Errorf("no collective operation is called %s", name)
	return 0, 0, 0
}

// operationOf returns the first collective operation of a name in the order that docs/fidelity.md tells: those of the whole
// trace that the stream does not define anew, then its own.
func (p *printer) operationOf(stream uint64, name string) (op uint64, ok bool) {
	seen := map[[2]uint64]bool{} // stream, operation
	own := map[uint64]bool{}
	for _, d := range p.defs.Log {
		if d.Kind == trace.KindOtfCollective && d.Words[0] == stream && stream != 0 {
			own[d.Words[1]] = true
		}
	}
	for _, s := range []uint64{0, stream} {
		for _, d := range p.defs.Log {
			if d.Kind != trace.KindOtfCollective || d.Words[0] != s || seen[[2]uint64{s, d.Words[1]}] || s == 0 && own[d.Words[1]] {
				continue
			}
			seen[[2]uint64{s, d.Words[1]}] = true
			if n := strings.ToUpper(d.TextOf(d.Words[2])); n == name || "MPI_"+n == name {
				return d.Words[1], true
			}
		}
	}
	return 0, false
}

// Kinds of records that joined makes: a collective operation as a whole, and the begin of one with all that its end says, or that
// stands in place of its end.
const (
	joinedWhole trace.Kind = 0xfff0 + iota
	joinedBegin
	joinedUnended
	joinedEnd // of a record that has become whole
)

// joined makes begin and end of collective operations one record again where they were, and lets the begin of others know all.
func joined(p *printer, list []record) (all []record) {
	all = slices.Clone(list)
	var open []int // begins without an end
	for i := range all {
		switch e := &all[i]; e.kind {
		case trace.KindMpiCollectiveBegin:
			open = append(open, i)
		case trace.KindCollectiveUnended:
			b := p.close(all, &open, e.words[0], true, false)
			b.kind, b.words, e.kind = joinedUnended, e.words, joinedEnd
		case trace.KindMpiCollectiveEnd:
			if id, ok := p.attr(e, "otf.matchId"); ok {
				b := p.close(all, &open, id, true, true)
				b.kind, b.words = joinedBegin, append([]uint64{id}, e.words...)
				b.attrs = append(b.attrs, p.specials(e)...)
			} else {
				b := p.close(all, &open, 0, false, false)
				b.kind, b.words = joinedWhole, append(slices.Clone(e.words), uint64(e.time-b.time))
				b.attrs = append(b.attrs, p.specials(e)...)
				e.kind = joinedEnd
			}
		}
	}
	return slices.DeleteFunc(all, func(r record) bool { return r.kind == joinedEnd })
}

// specials returns the special attributes of a record.
func (p *printer) specials(r *record) []trace.Attr {
	return slices.DeleteFunc(slices.Clone(r.attrs), func(a trace.Attr) bool { return p.special[a.ID] == "" })
}

// close finds the begin that an end belongs to: one of its match id, or one that has none as well; the latest or the first.
func (p *printer) close(all []record, open *[]int, id uint64, named, latest bool) *record {
	found := -1
	for n, i := range *open {
		other, alsoNamed := p.attr(&all[i], "otf.matchId")
		if named == alsoNamed && id == other && (found < 0 || latest) {
			found = n
		}
	}
	if found < 0 {
		p.t.Fatal("a collective operation ends that did not begin")
	}
	i := (*open)[found]
	*open = slices.Delete(*open, found, found+1)
	return &all[i]
}
