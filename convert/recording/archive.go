package recording

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/pandotrace/pando/trace"
)

// Archive is a recording of one process, or the recordings of the processes of a run. It implements trace.Source. Properties named "recording."
// in its Meta say what was given up.
type Archive struct {
	files     []*file
	locations []*location
	byID      map[uint64]*location
	clocks    *clocks
	meta      *trace.Meta
	defs      definitions
	warnings  trace.Warnings
}

// Open opens the recordings of a run, in any order.
func Open(paths ...string) (*Archive, error) {
	a := &Archive{}
	for _, path := range paths {
		f, err := openFile(path, &a.warnings)
		if err != nil {
			return nil, err
		}
		a.files = append(a.files, f)
	}
	if len(a.files) == 0 {
		return nil, fmt.Errorf("recording: no files: %w", trace.ErrMissing)
	}
	return a, a.read()
}

// read finds out all about the trace but its events.
func (a *Archive) read() error {
	slices.SortStableFunc(a.files, func(x, y *file) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(x.process, y.process), cmp.Compare(x.path, y.path))
	})
	if err := a.checkRun(); err != nil {
		return err
	}
	a.byID = map[uint64]*location{}
	for i, f := range a.files {
		f.index = i
		if f.state != stateClosed && f.until == 0 {
			a.warnings.Add("recording of a program that runs, was killed, or left by _exit or exec", "%s", f.path)
		}
		list, err := f.locate()
		if err != nil {
			return err
		}
		for _, l := range list {
			l.id = uint64(len(a.locations))
			a.locations = append(a.locations, l)
			a.byID[l.id] = l
		}
	}
	if err := a.describe(); err != nil {
		return err
	}
	if err := a.define(); err != nil {
		return err
	}
	dropped, err := wholeMessages(a.files, a.locations, a.defs.comms, a.time)
	if dropped > 0 {
		a.meta.Properties = append(a.meta.Properties, trace.Property{Name: "recording.left_out_partners", Value: fmt.Sprintf("%d ends of messages whose other end was left out", dropped)})
	}
	return err
}

// checkRun returns an error if the files are not those of one run.
func (a *Archive) checkRun() error {
	for i, f := range a.files {
		first := a.files[0]
		switch {
		case f.run != first.run || f.clock != first.clock:
			return &trace.SourceError{Format: "recording", File: f.path, Offset: 24, Class: trace.ErrUnsupported,
				Problem: "a recording of another run than " + first.path}
		case f.reduction != first.reduction || f.classNames != first.classNames:
			return &trace.SourceError{Format: "recording", File: f.path, Offset: 52, Class: trace.ErrUnsupported,
				Problem: "calls are given up in another order than in " + first.path}
		case i > 0 && f.rank != noRank && f.rank == a.files[i-1].rank:
			return &trace.SourceError{Format: "recording", File: f.path, Offset: 36, Class: trace.ErrUnsupported,
				Problem: fmt.Sprintf("rank %d once more", f.rank)}
		}
	}
	return nil
}

// describe makes the trace's meta data. The trace begins with the first of the processes.
func (a *Archive) describe() error {
	c, err := newClocks(a.files)
	if err != nil {
		return err
	}
	a.clocks, a.meta = c, &trace.Meta{Format: "recording", Resolution: c.inSecond()}
	if c.resolution == 0 {
		a.warnings.Add("clock of unknown rate", "%s ended too early to know; times are given as if ticks were nanoseconds", a.files[0].path)
	}
	for _, odd := range c.odd {
		a.warnings.Add("clock that cannot be corrected", "%s", odd)
	}
	epoch := int64(a.files[0].start.ticks)
	for _, f := range a.files {
		epoch = min(epoch, c.ticks(f, f.start.ticks))
	}
	a.meta.Epoch = uint64(max(epoch, 0))
	a.tell()
	return nil
}

// time returns a time of a file in ticks of the trace.
func (a *Archive) time(f *file, t uint64) int64 { return a.clocks.ticks(f, t) - int64(a.meta.Epoch) }

// tell says in properties what was given up.
func (a *Archive) tell() {
	const never = 1<<63 - 1
	floor, horizon, stopped, noMetrics, old := uint32(0), int64(0), int64(never), false, false
	for _, f := range a.files {
		floor, noMetrics, old = max(floor, f.floor), noMetrics || f.noMetrics, old || f.horizon != 0
		if f.horizon != 0 {
			horizon = max(horizon, a.time(f, f.horizon))
		}
		if f.stopped != 0 {
			stopped = min(stopped, a.time(f, f.stopped))
		}
	}
	add := func(name, value string) {
		a.meta.Properties = append(a.meta.Properties, trace.Property{Name: "recording." + name, Value: value})
	}
	add("program", a.files[0].name)
	for _, host := range slices.Sorted(maps.Keys(a.clocks.hosts)) {
		x := a.clocks.hosts[host]
		add("clock "+host, fmt.Sprintf("corrected by what the first process asked %d times, in at most %d ticks", x.asked, x.took))
	}
	if a.files[0].filter != "" {
		add("filter", a.files[0].filter)
	}
	tellPhases(a.locations, add)
	if a.files[0].reduction == byClass {
		add("classes", a.files[0].classNames)
	}
	if horizon > 0 {
		add("from", fmt.Sprintf("tick %d: what ended before was given up", horizon))
	}
	if stopped != never {
		add("to", fmt.Sprintf("tick %d: there was no memory for what ended later", stopped))
	}
	if noMetrics {
		add("metrics", "given up")
	}
	a.raise(floor)
	a.lose(floor, old)
}

// raise leaves the calls of all processes out that one of them gave up: what is compared must be alike.
func (a *Archive) raise(floor uint32) {
	for _, f := range a.files {
		f.floor = floor
	}
	for _, l := range a.locations {
		for class := range min(floor, protected) {
			l.calls[class] = nil
		}
	}
}

// Meta describes the trace.
func (a *Archive) Meta() *trace.Meta { return a.meta }

// Definitions returns the definitions from index `from` on.
func (a *Archive) Definitions(from int) ([]trace.Record, error) {
	a.defs.mu.Lock()
	defer a.defs.mu.Unlock()
	return a.defs.log[min(max(from, 0), len(a.defs.log)):], nil
}

// Streams lists the events of all locations, then their profiles, then the markers if there are any.
func (a *Archive) Streams() []trace.StreamInfo {
	var list []trace.StreamInfo
	for _, class := range []trace.StreamClass{trace.StreamEvents, trace.StreamStatistics} {
		for _, l := range a.locations {
			if class == trace.StreamEvents || len(l.profile) > 0 {
				list = append(list, trace.StreamInfo{StreamID: trace.StreamID{Class: class, Location: l.id}})
			}
		}
	}
	if len(a.defs.markerList) > 0 {
		list = append(list, trace.StreamInfo{StreamID: trace.StreamID{Class: trace.StreamMarkers}})
	}
	return list
}

// Open starts to read a stream from its begin.
func (a *Archive) Open(id trace.StreamID) (trace.Stream, error) {
	if id == (trace.StreamID{Class: trace.StreamMarkers}) && len(a.defs.markerList) > 0 {
		return &markers{kinds: a.defs.markerList, at: a.time, locations: a.locations}, nil
	}
	l := a.byID[id.Location]
	switch {
	case l == nil:
	case id.Class == trace.StreamEvents:
		return &stream{a: a, m: newMerger(l)}, nil
	case id.Class == trace.StreamStatistics && len(l.profile) > 0:
		return &profile{a: a, l: l}, nil
	}
	return nil, fmt.Errorf("recording: %s has no stream of class %d and location %d", a.files[0].path, id.Class, id.Location)
}

// Warnings lists what was found odd so far.
func (a *Archive) Warnings() []trace.Warning { return a.warnings.All() }

// Close does nothing: files are open only while they are read.
func (a *Archive) Close() error { return nil }

// stream gives the events of a location.
type stream struct {
	a *Archive
	m *merger
}

// Next returns the next events.
func (s *stream) Next(b *trace.Batch, max int) error {
	b.Reset(s.m.l.id)
	for b.Len() < max && s.m.step(b, s.a) {
	}
	if err := s.m.err(); err != nil {
		return err
	}
	if b.Len() == 0 {
		return io.EOF
	}
	return nil
}

// Close gives the memory back.
func (s *stream) Close() error {
	s.m = &merger{l: s.m.l}
	return nil
}

// profile gives the totals of a location's regions, at the end of the recording.
type profile struct {
	a    *Archive
	l    *location
	list []total
	read bool
}

// Next returns the next totals.
func (p *profile) Next(b *trace.Batch, max int) error {
	b.Reset(p.l.id)
	if !p.read {
		list, err := p.l.totals()
		if err != nil {
			return err
		}
		p.list, p.read = list, true
	}
	n := min(max, len(p.list))
	at := p.a.time(p.l.f, p.l.f.last.ticks)
	for _, t := range p.list[:n] {
		b.Append(trace.KindStatisticsRegion, at, uint64(p.a.region(p.l.f, t.region)), t.count, p.a.clocks.duration(p.l.f, t.exclusive), p.a.clocks.duration(p.l.f, t.inclusive))
	}
	if p.list = p.list[n:]; n == 0 {
		return io.EOF
	}
	return nil
}

// Close does nothing.
func (p *profile) Close() error { return nil }

var _ trace.Deviant = (*Archive)(nil)
