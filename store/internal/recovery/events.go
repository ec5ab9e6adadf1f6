package recovery

import (
	"maps"
	"slices"
	"sort"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/write"
	"github.com/pandotrace/pando/trace"
)

// recoverer writes what was saved.
type recoverer struct {
	*Recovery
	w         *write.Writer
	locations map[uint32]*savedLocation // by index
	lanes     map[uint32]*savedLane
	begun     bool  // there was a slice
	start     int64 // of the latest slice
	torn      bool  // events are known to be missing: what belongs together must be told
	pairs     uint32
}

// savedLocation is how far the events of a location go.
type savedLocation struct {
	at   *write.Location
	lane *savedLane
	next uint64 // ordinal
	last int64  // time of the event before
	torn bool   // there may be events of its process before the next one that are not known to be
}

// savedLane is what decoding a lane's slices takes.
type savedLane struct {
	models     []foundModel // those that are yet to be used, the current one first
	statistics *slice.Statistics
	marks      *slice.Marks // of the latest group that has some
	current    layout.GroupHead
	dictionary *shape.Dictionary
	epoch      uint32
	whole      uint32   // pages of the dictionary that are there, without a gap
	locations  []uint32 // by index: those that had events
	complete   bool     // no model is lost
	next       uint64   // the slice after the latest one that was met, of the model's
	missing    []uint32 // locations that lack events before the next slice
	strange    bool     // it had a location whose id is lost
}

// definitions writes all definitions: what events refer to may have been defined later.
func (c *recoverer) definitions() error {
	var part records.Part
	for _, found := range c.records {
		if found.kind != format.BlockDefinitions {
			continue
		}
		b, err := c.payload(found)
		if err != nil && !format.IsCorrupt(err) {
			return err
		}
		var page *records.Definitions
		if err == nil {
			page, err = records.ReadPage(b, c.meta.Kinds)
		}
		if err != nil {
			c.problem(found.offset, err)
			continue
		}
		part.Add(page, func(trace.Kind) bool { return true })
	}
	log := part.Log()
	c.report.Definitions += uint64(len(log))
	c.noteStrings(log)
	if err := c.w.Define(log...); err != nil {
		return err
	}
	c.names.complete(&c.told, c.w.Definitions.Locations)
	for _, l := range slices.Sorted(maps.Keys(c.told.ids)) {
		c.w.Location(c.told.ids[l])
	}
	c.layOutLanes()
	return nil
}

// layOutLanes gives each lane its models, and finds out whether all of them are there.
func (c *recoverer) layOutLanes() {
	for i := range c.models {
		m := &c.models[i]
		l := c.lanes[m.Lane]
		if l == nil {
			l = &savedLane{complete: c.isTold()}
			c.lanes[m.Lane] = l
		}
		l.models = append(l.models, *m)
	}
	for location, lane := range c.told.lanes {
		if l := c.lanes[lane]; l != nil && c.rostered[location] != c.told.sums[location].Events {
			l.complete = false
		}
	}
}

// allSlices writes the events of all slices, in order.
func (c *recoverer) allSlices(progress trace.Progress) error {
	all := len(c.slices)
	for len(c.slices) > 0 {
		n := 1
		for n < len(c.slices) && c.slices[n].number == c.slices[0].number {
			n++
		}
		if err := c.slice(c.slices[0].number, c.slices[:n]); err != nil {
			return err
		}
		c.slices = c.slices[n:]
		progress.Report(int64(all-len(c.slices)), int64(all))
	}
	return nil
}

// decode decodes a slice block, with its model and the pages of the dictionary that this needs.
func (c *recoverer) decode(e *slice.Events, found foundBlock) error {
	l := c.lanes[found.lane]
	if l == nil {
		return format.Corruptf("slice block", -1, "lane %d has no intact model", found.lane)
	}
	if err := c.useModel(l, found.number); err != nil {
		return err
	}
	if err := c.useDictionary(l, l.current); err != nil {
		return err
	}
	b, err := c.payload(found)
	if err != nil {
		return err
	}
	ids := func(l uint32) uint64 { return c.names.byIndex[l] }
	err = e.Decode(b, l.dictionary, l.statistics, c.limits, ids)
	c.work.Events += int64(len(e.Leaves))
	if err != nil {
		return err
	}
	if e.Epoch != l.current.Epoch {
		return format.Corruptf("slice block", -1, "it is of epoch %d, its model of epoch %d", e.Epoch, l.current.Epoch)
	}
	return nil
}

// useModel takes the model of a slice at hand, and notes of which locations events before the slice are missing.
func (c *recoverer) useModel(l *savedLane, number uint64) error {
	i := sort.Search(len(l.models), func(i int) bool { return l.models[i].last >= number })
	if i == len(l.models) || l.models[i].first > number {
		return format.Corruptf("slice block", -1, "the model of its group is not intact")
	}
	m := &l.models[i]
	if l.statistics == nil || i > 0 {
		b, err := c.payload(m.block)
		if err != nil {
			return err
		}
		_, rest, err := layout.ReadGroupHead(b)
		if err != nil {
			return err
		}
		t, err := slice.ParseStatistics(rest, c.limits)
		if err != nil {
			return err
		}
		if l.statistics != nil {
			l.missingUpTo(l.models[0].last + 1)
			for _, skipped := range l.models[1:i] {
				l.missing = append(l.missing, skipped.locations...)
			}
			if !l.complete && m.Group > l.models[0].Group+1 && c.anyLost(l.models[0].place, m.place) {
				l.missing = append(l.missing, l.locations...)
			}
		}
		l.statistics, l.current, l.models, l.next = t, m.GroupHead, l.models[i:], m.first
	}
	l.missingUpTo(number)
	return nil
}

// missingUpTo notes the locations that have events in slices that were not met, up to a slice.
func (l *savedLane) missingUpTo(number uint64) {
	roster := &l.statistics.Roster
	for ; l.next < number; l.next++ {
		for _, share := range roster.Slices[l.next-roster.First] {
			l.missing = append(l.missing, share.Location)
		}
	}
}

// anyLost reports whether there was a block between two intact ones that is not intact.
func (c *recoverer) anyLost(from, to int) bool {
	return int64(c.intact[to])-int64(c.intact[from]) != int64(to-from)
}

// useDictionary takes the shapes of an epoch at hand: as many pages as are intact, without a gap, but those that the group needs.
func (c *recoverer) useDictionary(l *savedLane, head layout.GroupHead) error {
	if l.dictionary != nil && l.epoch == head.Epoch {
		return c.enough(l, head)
	}
	d := shape.NewDictionary(c.meta.Kinds)
	l.dictionary, l.epoch = d, head.Epoch
	l.whole = 0
	for _, p := range c.pages[laneEpoch{head.Lane, head.Epoch}] {
		if p.number != l.whole+1 {
			continue
		}
		b, err := c.payload(p.block)
		if err != nil {
			return err
		}
		_, rest, err := layout.ReadGroupHead(b)
		if err == nil {
			err = d.AddPage(rest, c.limits)
		}
		if err != nil {
			l.whole = 0
			return format.At(err, c.name, p.block.offset)
		}
		l.whole++
	}
	d.Prepare()
	return c.enough(l, head)
}

func (c *recoverer) enough(l *savedLane, head layout.GroupHead) error {
	if l.whole < head.Pages {
		return format.Corruptf("slice block", -1, "page %d of its dictionary is not intact", l.whole+1)
	}
	return nil
}

// findGaps tells the writer where events are missing.
func (s *savedSlice) findGaps(lane *savedRuns) {
	c, l := s.recoverer, s.recoverer.lanes[lane.block.lane]
	for _, run := range lane.runs {
		at := c.location(l, run.location)
		if run.first > at.next {
			c.lose(at, run.first-at.next, run.time)
			at.next, at.torn = run.first, true
		}
		if at.torn {
			l.missing = append(l.missing, run.location)
			at.torn = false
		}
	}
	if c.isStrange(lane.block.lane, lane.runs) {
		l.strange = true
		l.missing = append(l.missing, l.locations...)
	}
	for _, index := range l.missing {
		if _, ok := c.names.byIndex[index]; ok {
			c.torn = true
			c.w.AddGap(c.location(l, index).at, c.start)
		}
	}
	l.missing, l.next = nil, s.number+1
}

// location returns what is known of a location of a lane.
func (c *recoverer) location(l *savedLane, index uint32) *savedLocation {
	s := c.locations[index]
	if s == nil {
		s = &savedLocation{at: c.w.Location(c.names.byIndex[index]), lane: l, last: -layout.MaxTime, torn: l.strange}
		c.locations[index] = s
		l.locations = append(l.locations, index)
	}
	return s
}

func (c *recoverer) lose(s *savedLocation, events uint64, to int64) {
	c.report.Losses = append(c.report.Losses, LostEvents{Location: s.at.ID, From: s.last, To: to, Events: events})
}

// auxiliary writes what is no event.
func (c *recoverer) auxiliary() error {
	if c.totals != nil {
		for _, stream := range c.totals.AuxStreams {
			c.w.Auxiliary.Open(stream.StreamID)
		}
	}
	for _, found := range c.records {
		if found.kind != format.BlockAuxiliary {
			continue
		}
		b, err := c.payload(found)
		if err == nil {
			err = records.ReadBatches(b, c.meta.Kinds, func(id trace.StreamID, b *trace.Batch) error { return c.w.AppendAux(id, b) })
		}
		if format.IsCorrupt(err) {
			c.problem(found.offset, err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// countLosses compares what was saved with what the totals say.
func (c *recoverer) countLosses() {
	for _, l := range slices.Sorted(maps.Keys(c.told.sums)) {
		s, events := c.locations[l], c.told.sums[l].Events
		id, known := c.names.byIndex[l]
		if !known {
			continue
		}
		if s == nil {
			s = &savedLocation{at: c.w.Location(id), last: -layout.MaxTime}
		}
		if events > s.next {
			c.lose(s, events-s.next, layout.MaxTime)
		}
	}
	slices.SortStableFunc(c.report.Losses, func(a, b LostEvents) int {
		return int(c.w.Location(a.Location).Index) - int(c.w.Location(b.Location).Index)
	})
	if c.totals == nil {
		return
	}
	c.report.LostDefinitions = c.totals.Definitions - min(c.totals.Definitions, c.report.Definitions)
	wanted, saved := uint64(0), uint64(0)
	for _, stream := range c.totals.AuxStreams {
		wanted += stream.Records
	}
	for _, stream := range c.w.Auxiliary.Streams {
		saved += stream.Records
	}
	c.report.LostAuxiliary = wanted - min(wanted, saved)
}
