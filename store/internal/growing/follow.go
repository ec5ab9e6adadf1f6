package growing

import (
	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/pairing"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/store/internal/write/match"
	"github.com/pandotrace/pando/store/internal/write/nodes"
	"github.com/pandotrace/pando/trace"
)

// lane is what was found out of a lane's events. Lanes are followed beside each other.
type lane struct {
	tree         index.Tree
	calls        nodes.Lane // that cross slices; the matcher has the messages
	fingerprint  *trace.Fingerprint
	postings     index.Postings // of the slices that no page of the directory has
	counts       []uint32       // by leaf: events of the slice at hand
	kinds        map[trace.Kind]uint64
	orphans, cut uint64
	ends         int // of messages in the latest slice
	roles        *pairing.Roles
}

// followSlice goes through the events of a slice, lanes beside each other. The matcher follows, lane by lane.
func (f *File) followSlice(r *read.File, s *groupSlice, number uint64) error {
	for _, b := range s.blocks {
		f.need(int(b.lane))
	}
	ends := &match.Slice{Number: number, Blocks: make([]*match.Block, len(f.lanes))}
	events := make([]uint64, len(s.blocks))
	decoded := make([]*slice.Events, len(s.blocks))
	var decoding errgroup.Group
	decoding.SetLimit(f.workers)
	for i, b := range s.blocks {
		decoding.Go(func() (err error) {
			decoded[i] = read.EventRoom.Get().(*slice.Events)
			if err = r.DecodeInto(decoded[i], number, b.lane, b.ref); err != nil {
				err = format.At(err, f.name, int64(b.ref.Offset))
			}
			return err
		})
	}
	err := decoding.Wait()
	if err == nil {
		for i := range decoded {
			f.join(decoded[i])
		}
		q, blocks := f.matcher.Start(ends), make([]match.LaneEnds, len(f.lanes))
		var following errgroup.Group
		following.SetLimit(f.workers)
		for i, b := range s.blocks {
			following.Go(func() (err error) {
				ends.Blocks[b.lane] = &match.Block{}
				blocks[b.lane], err = f.followLane(decoded[i], ends.Blocks[b.lane], number)
				events[i] = uint64(len(decoded[i].Leaves))
				return format.At(err, f.name, int64(b.ref.Offset))
			})
		}
		err = following.Wait()
		for _, b := range s.blocks {
			if err == nil {
				err = f.pairs.note(r, number, b.lane)
			}
		}
		for lane := range blocks {
			q.Give(lane, blocks[lane])
		}
		q.Begin()
		if failed := f.matcher.Wait(); err == nil {
			err = failed
		}
	}
	for _, e := range decoded {
		if e != nil {
			read.EventRoom.Put(e)
		}
	}
	entry := index.SliceEntry{Start: s.start, End: s.end}
	for _, n := range events {
		entry.Events += n
	}
	f.pageSlices = append(f.pageSlices, entry)
	f.info.Events += entry.Events
	return err
}

// need makes sure that there is a lane.
func (f *File) need(number int) {
	for len(f.lanes) <= number {
		f.lanes = append(f.lanes, &lane{
			tree: f.tree, calls: nodes.NewLane(&f.logs), fingerprint: trace.NewFingerprint(f.meta), kinds: map[trace.Kind]uint64{},
			postings: index.Postings{First: f.pageFirst}, roles: f.roles,
		})
	}
}

// join makes the locations known that have their first events in a block.
func (f *File) join(e *slice.Events) {
	for i := range e.Runs {
		n := e.Runs[i].Location
		for len(f.state) <= int(n) {
			f.state = append(f.state, nil)
		}
		if f.state[n] == nil {
			k := f.locations.known[n]
			l := &location{Location: match.Location{ID: k.id, Index: n, Lane: int32(k.lane)}}
			f.matcher.Join(&l.Location, pairing.ProcessOf(f.definitions, k.id))
			f.state[n] = l
		}
	}
}

// followLane goes through the events of a lane in a slice.
func (f *File) followLane(e *slice.Events, block *match.Block, number uint64) (match.LaneEnds, error) {
	l, info := f.lanes[e.Lane], e.Dictionary.Info()
	ends := f.matcher.NewLaneEnds(len(e.Runs), l.ends)
	f.matcher.Open(block, l.ends)
	l.counts = append(l.counts[:0], make([]uint32, len(info))...)
	at := 0
	for i := range e.Runs {
		run := &e.Runs[i]
		b, err := e.Batch(i)
		if err != nil {
			return ends, err
		}
		of := f.state[run.Location]
		if of.events != run.First || of.events > 0 && b.Times[0] < of.last {
			return ends, format.Corruptf("slice block", -1, "location %d goes on with event %d after event %d", of.ID, run.First, of.events)
		}
		if of.events == 0 {
			of.first = b.Times[0]
		}
		l.run(of, b, e.Leaves[at:at+run.Events], info, block, &ends, number)
		ends.EndRun(&of.Location, of.events, e.End)
		of.last = b.Times[b.Len()-1]
		l.fingerprint.Add(b, 0, b.Len())
		l.postings.Add(index.Posting{What: index.PostingLocation, ID: uint64(run.Location)}, number)
		at += run.Events
	}
	l.count(info, number)
	l.ends = f.matcher.Fill(block)
	return ends, nil
}

// run follows the events of a location in a slice.
func (l *lane) run(of *location, b *trace.Batch, leaves []uint32, info []shape.LeafInfo, block *match.Block, ends *match.LaneEnds, number uint64) {
	for i, leaf := range leaves {
		l.counts[leaf]++
		switch at := &info[leaf]; at.Class {
		case shape.Enter, shape.ContextEnter:
			of.enter(at, b.Times[i], number)
		case shape.Leave, shape.ContextLeave:
			l.leave(of, at, b.Times[i], number)
		default:
			if match.IsPointToPoint(at.Kind) {
				ends.Add(block, &of.Location, at.Class, at.Kind, b.Fields(i), b.Times[i], of.events)
			} else if roles := l.roles.Of(at.Kind); roles != nil {
				ends.AddPairs(roles, at.Kind, b.Fields(i), index.End{Location: of.Index, Ordinal: of.events, Slice: number, Time: b.Times[i]})
			}
		}
		of.events++
	}
}

// count notes the kinds and regions of a slice's events.
func (l *lane) count(info []shape.LeafInfo, number uint64) {
	for leaf, n := range l.counts {
		if n == 0 {
			continue
		}
		at := &info[leaf]
		l.kinds[at.Kind] += uint64(n)
		l.postings.Add(index.Posting{What: index.PostingKind, ID: uint64(at.Kind)}, number)
		switch at.Class {
		case shape.Enter:
			l.postings.Add(index.Posting{What: index.PostingRegion, ID: at.Key}, number)
		case shape.ContextEnter:
			l.postings.Add(index.Posting{What: index.PostingContext, ID: at.Key}, number)
		}
	}
}
