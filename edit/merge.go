package edit

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// Alignment says how the clocks of merged traces are brought together.
type Alignment string

// Alignments.
const (
	// AlignClocks leaves times as they are: the traces have one clock.
	AlignClocks Alignment = "clocks"
	// AlignStarts lets all traces start with the first one: their first events are at one time.
	AlignStarts Alignment = "starts"
	// AlignRealtime aligns by the time of day at which each trace was recorded, if its clock has one.
	AlignRealtime Alignment = "realtime"
)

// Merge unites traces of different runs or nodes. Where they give one id to different things, the later trace's thing gets another;
// strings, regions, attributes, parameters, source locations and counters that are equal in all but their ids become one.
// The processes of all traces that communicate by one paradigm are ranked together, those of the first trace first. Where clocks differ in
// their ticks per second, the merged trace has the least common multiple of these, so that no time is rounded; it is an error if times do not
// fit 64 bits then.
//
// Notes and annotations are kept. A note of which two traces say different things becomes one of each, note.2.KEY, and annotations of one name become 2/NAME. What the format
// of a trace says of it becomes merged.2.NAME.
//
// What makes the archive of a trace's own format again is not in the result: local ids, local times, thumbnails.
// Definitions must be complete before the events are read, as they are in Pando files. The sources must stay open until the
// result is closed, which does not close them.
func Merge(align Alignment, traces ...trace.Source) (trace.Source, error) {
	if len(traces) == 0 {
		return nil, errors.New("no traces to be merged")
	}
	m := &merge{streams: map[trace.StreamID]origin{}}
	for i, src := range traces {
		t, err := newMember(src)
		if err != nil {
			return nil, fmt.Errorf("trace %d: %w", i+1, err)
		}
		m.members = append(m.members, t)
		m.meta.History = append(m.meta.History, src.Meta().History...)
	}
	for _, step := range []func() error{m.kinds, m.resolve, func() error { return m.align(align) }, m.identify, m.lose, m.infer, m.say, m.list, m.define} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// merge is several traces as one.
type merge struct {
	meta        trace.Meta
	members     []*member
	definitions []trace.Record
	infos       []trace.StreamInfo
	streams     map[trace.StreamID]origin
	warnings    trace.Warnings
}

// origin is where a stream comes from.
type origin struct {
	member *member
	id     trace.StreamID
}

// kinds unites the tables of kinds.
func (m *merge) kinds() error {
	table := &trace.Table{}
	for i, t := range m.members {
		for _, spec := range t.table.All() {
			known := table.Spec(spec.ID)
			if known == nil {
				if err := table.Add(spec); err != nil {
					return err
				}
			} else if !reflect.DeepEqual(known.Fields, spec.Fields) {
				return fmt.Errorf("trace %d: its records %s are others than those of an earlier trace", i+1, spec.Name)
			}
		}
	}
	m.meta.Kinds = table
	return nil
}

// lose unites what the traces say of their losses.
func (m *merge) lose() error {
	for i, t := range m.members {
		l := t.loss()
		if i > 0 {
			l = unitedLoss(m.meta.Loss, l)
		}
		m.meta.Loss = l
	}
	return nil
}

// loss returns what the trace says of its loss, in ticks and ids of the merged trace. Its fingerprint is that of no part of it any more.
func (t *member) loss() *trace.Loss {
	of := t.src.Meta().Loss
	if of == nil {
		return nil
	}
	l := &trace.Loss{Bounds: slices.Clone(of.Bounds)}
	for i := range l.Bounds {
		b := &l.Bounds[i]
		switch {
		case b.Class == trace.LossMetric:
			b.Metric = t.id(trace.SpaceMetric, b.Metric, 32)
		case b.Class == trace.LossCalls && (t.scale == 1 || b.Metric != uint64(trace.LeftShort)):
		case t.scale == 1 && b.Cell > 0 && t.shift%int64(b.Cell) == 0:
		default:
			b.Bound, b.Cell, b.Offset = min(b.Bound, trace.MaxCell/t.scale)*t.scale, 0, 0
		}
	}
	slices.SortFunc(l.Bounds, trace.Bound.Compare)
	return l
}

// infer tells which topologies are inferred.
func (m *merge) infer() error {
	ids := map[uint64]bool{}
	for _, t := range m.members {
		for id := range topology.Inferred(t.src.Meta().Properties) {
			if id = t.id(trace.SpaceCartTopology, id, 32); id != trace.Undefined>>32 {
				ids[id] = true
			}
		}
	}
	if len(ids) > 0 {
		m.meta.Properties = append(m.meta.Properties, topology.InferredProperty(ids))
	}
	return nil
}

// list lists the streams. Those that belong to whole traces are numbered anew.
func (m *merge) list() error {
	var numbers [256]uint64
	groups := uint32(0) // of the members before
	for _, t := range m.members {
		first := groups
		for _, s := range t.src.Streams() {
			id := s.StreamID
			switch id.Class {
			case trace.StreamEvents, trace.StreamSnapshots, trace.StreamStatistics:
				id.Location = t.id(trace.SpaceLocation, id.Location, 64)
			case trace.StreamMarkers:
				id.Location = numbers[id.Class]
				numbers[id.Class]++
			default:
				m.warnings.Add("stream left out", "class %d of location %d", id.Class, id.Location)
				continue
			}
			m.streams[id] = origin{t, s.StreamID}
			groups = max(groups, first+s.Group+1)
			m.infos = append(m.infos, trace.StreamInfo{StreamID: id, Records: s.Records, Group: first + s.Group})
		}
	}
	return nil
}

// Meta implements trace.Source.
func (m *merge) Meta() *trace.Meta { return &m.meta }

// Definitions implements trace.Source.
func (m *merge) Definitions(from int) ([]trace.Record, error) {
	return m.definitions[min(from, len(m.definitions)):], nil
}

// Streams implements trace.Source.
func (m *merge) Streams() []trace.StreamInfo { return slices.Clone(m.infos) }

// Warnings implements trace.Source.
func (m *merge) Warnings() []trace.Warning {
	all := m.warnings.All()
	for _, t := range m.members {
		all = append(all, t.src.Warnings()...)
	}
	return all
}

// Close implements trace.Source.
func (m *merge) Close() error { return nil }

// Open implements trace.Source.
func (m *merge) Open(id trace.StreamID) (trace.Stream, error) {
	from, ok := m.streams[id]
	if !ok {
		return nil, fmt.Errorf("no stream of class %d for %d", id.Class, id.Location)
	}
	s, err := from.member.src.Open(from.id)
	if err != nil {
		return nil, err
	}
	return &translated{Stream: s, member: from.member, location: id.Location}, nil
}
