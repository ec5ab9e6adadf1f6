package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/store"
)

// following is the times of all sources, which are added up.
type following struct {
	*Tree
	lanes []*lane // by member
	most  int     // open calls that are in the forest; those further in are not
	done  int64   // events
	least float64 // distance of outliers from the median
}

// lane is a member whose events are followed, in step with its calls in the forest.
type lane struct {
	stack []frame // the first is the location itself
	last  int64
	ticks ticks
	spent int64
}

// frame is an open call.
type frame struct {
	key   uint32
	node  int32 // its time goes there; -1 for the location itself
	owner int32 // the place in the stack of the call whose list goes on inside of it: itself, as a rule
	// What follows is of calls that are their own owner.
	depth  int32
	name   calltree.Name
	merged uint32
	spot   uint32
	list   cursor
}

// ticks is times by node, in pages that are there if a node of theirs has some.
type ticks [][]int64

const pageNodes = 64

// add adds to the time of a node, of which there are all.
func (t ticks) add(node int32, n int64, all int) (grew bool) {
	page := &t[node/pageNodes]
	if *page == nil {
		*page = make([]int64, min(pageNodes, all))
		grew = true
	}
	(*page)[node%pageNodes] += n
	return grew
}

func (t ticks) at(node int) int64 {
	if page := t[node/pageNodes]; page != nil {
		return page[node%pageNodes]
	}
	return 0
}

// times reads the times of all sources.
func (t *Tree) times(ctx context.Context) error {
	f := &following{Tree: t, most: cmp.Or(t.levels, math.MaxInt)}
	for range t.Members {
		f.lanes = append(f.lanes, &lane{ticks: make(ticks, (len(t.Nodes)+pageNodes-1)/pageNodes)})
	}
	if err := t.spend(int64(len(f.lanes)) * (laneBytes + 24*int64(len(t.Nodes)/pageNodes+1))); err != nil {
		return err
	}
	for _, in := range t.inputs {
		f.done += int64(in.Reader.Info().Events)
	}
	for _, in := range t.inputs {
		if err := f.source(ctx, in); err != nil {
			return fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	return f.sums(ctx)
}

// What a lane and a frame take, in bytes.
const (
	laneBytes  = 120
	frameBytes = int64(unsafe.Sizeof(frame{}))
)

// source follows the events of a source.
func (f *following) source(ctx context.Context, in *input) error {
	members := map[uint64]int{}
	for i, l := range in.locations {
		members[l.ID] = in.first + i
		f.begin(in, in.first+i)
	}
	open, err := in.Window.OpenCalls()
	if err != nil {
		return err
	}
	for i := range open {
		if m, ok := members[open[i].Location]; ok {
			e := in.events.OfCall(&open[i])
			if err := f.enter(f.lanes[m], &e); err != nil {
				return err
			}
		}
	}
	for run, err := range in.Window.Times() {
		if err != nil {
			return err
		}
		if m, ok := members[run.Location]; ok {
			if err := f.run(in, f.lanes[m], run); err != nil {
				return err
			}
		}
		f.done += int64(len(run.Leaves))
		f.opt.Progress.Report(f.done, 0)
	}
	for i := range in.locations {
		f.end(in, f.lanes[in.first+i])
	}
	return ctx.Err()
}

// usualDepth is the number of open calls that a lane has room for at first.
const usualDepth = 4

// begin prepares the lane of a member.
func (f *following) begin(in *input, member int) {
	root := f.structs[f.kindOf[member]]
	l := f.lanes[member]
	l.last = in.scaled(in.from)
	l.stack = append(make([]frame, 0, usualDepth), frame{node: -1, spot: f.graph.spot(0, root), list: newCursor(root)})
}

// scaled returns ticks in units of the tree.
func (in *input) scaled(ticks int64) int64 {
	if in.scale == nil {
		return ticks
	}
	return in.scale(ticks)
}

// run follows the events of a run.
func (f *following) run(in *input, l *lane, run *store.TimeRun) error {
	events := in.events.Of(run.Shapes)
	when := run.Times[:len(run.Leaves)]
	for i, leaf := range run.Leaves {
		e := &events[leaf]
		if e.Class == calltree.Other {
			continue
		}
		if f.tick(l, in.scaled(when[i])); e.Class == calltree.Leave {
			l.leave(e.Key)
		} else if err := f.enter(l, e); err != nil {
			return err
		}
	}
	more := frameBytes*int64(cap(l.stack)) - l.spent
	l.spent += more
	return f.spend(more)
}

// tick gives the time since the last event to the node of the innermost call.
func (f *following) tick(l *lane, now int64) {
	if node := l.stack[len(l.stack)-1].node; node >= 0 && now != l.last && l.ticks.add(node, now-l.last, len(f.Nodes)) {
		f.left -= 8 * int64(min(pageNodes, len(f.Nodes)))
	}
	l.last = now
}

// enter enters a call: the next one of the list that goes on in the innermost call, unless it is transparent or too far in.
func (f *following) enter(l *lane, e *calltree.Event) error {
	top := &l.stack[len(l.stack)-1]
	owner := &l.stack[top.owner]
	inner := frame{key: e.Key, node: top.node, owner: top.owner}
	if int(owner.depth) >= f.Depth || len(l.stack) > f.most || len(f.through) > 0 && f.through[e.Name] {
		l.stack = append(l.stack, inner)
		return nil
	}
	call, run, ok := owner.list.next(f.Forest)
	if !ok || f.Forest.Name(call) != e.Name {
		return errors.New("a location has other calls than when they were read first")
	}
	m := &f.graph.all[owner.merged]
	col := m.columns[f.graph.columnOf(m, owner.spot, run, call)]
	inner.node = owner.node + int32(col.offset)
	if spread := !f.opt.Nested && owner.name != 0 && e.Name == owner.name; !spread {
		inner.owner, inner.depth, inner.name = int32(len(l.stack)), owner.depth+1, e.Name
		inner.merged, inner.spot = col.inside, f.graph.spot(col.inside, call)
		inner.list = newCursor(call)
	}
	l.stack = append(l.stack, inner)
	return nil
}

// leave closes the nearest call of a key and those further in. If there is none, it does nothing.
func (l *lane) leave(key uint32) {
	n := len(l.stack) - 1
	for n > 0 && l.stack[n].key != key {
		n--
	}
	if n > 0 {
		l.stack = l.stack[:n]
	}
}

// end counts the time up to the window's end.
func (f *following) end(in *input, l *lane) {
	if to := in.scaled(in.to); to > l.last {
		f.tick(l, to)
	}
	f.left += l.spent
	l.stack, l.spent = nil, 0
}
