package waits

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Options are options of [Of]. The zero value means the defaults.
type Options struct {
	// Memory bounds the memory of what is under way at once and of sums, in bytes. 0 means 256 MiB. Waits that do not fit lie in a temporary
	// file. More messages or collective operations under way at one time than fit are a [MemoryError].
	Memory int64
	// Critical says that the critical path is wanted. Its stretches are read for a second time.
	Critical bool
	// EachWait gets each wait, in the order in which they become known: by the later of the leave of the call that waits and the cause. It may be
	// nil. A wait is valid until it returns.
	EachWait func(*Paths, *Wait) error
	// EachStretch gets each stretch of the critical path, in the order of time. It may be nil.
	EachStretch func(*Paths, *Stretch) error
	// Progress counts events.
	Progress trace.Progress
}

// Result is what the waits of a window add up to.
type Result struct {
	Paths *Paths
	// From and To are the time that was looked at, in ticks: the window, as far as the trace has events.
	From, To int64
	// Locations are the ids of all locations, in the order of definition.
	Locations []uint64
	// Groups, Waiting and Late are sums over waits, those of the most time first.
	Groups  []Group
	Waiting []Waiting
	Late    []Lateness
	Counts  Counts
	// Critical is the critical path, if it was asked for and there is one.
	Critical *Critical
}

// MemoryError says that a window has too much under way at once.
type MemoryError struct{ Memory int64 }

// Error says what takes more than the memory.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("calls, messages and collective operations that are under way at once, and sums by call path, take more than %d MiB", e.Memory>>20)
}

// Is reports whether the target is [memory.ErrExceeded].
func (e *MemoryError) Is(target error) bool { return target == memory.ErrExceeded }

// Of finds the waits of a window, and the critical path if the options ask for it. Waits are those of the whole trace, as far as they lie in the
// window. Filters of the window do not apply. The work ends with the context.
func Of(ctx context.Context, r *store.Reader, w *store.Window, opt Options) (*Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r = r.WithContext(ctx)
	defs, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	ids, err := r.LocationIDs()
	if err != nil {
		return nil, err
	}
	from, to := w.Bounds()
	s := &search{reader: r, locations: ids, opt: opt, defs: defs, from: max(from, r.Info().First), to: to}
	if last := r.Info().Last; to > last {
		s.to = last + 1
	}
	s.memory = cmp.Or(opt.Memory, memory.Usual)
	if s.from >= s.to || r.Info().Events == 0 {
		return &Result{Paths: newPaths(defs), From: s.from, To: s.from, Locations: ids}, nil
	}
	return s.run(ctx)
}

// search is a window in which waits are looked for.
type search struct {
	reader    *store.Reader
	locations []uint64 // ids of all
	opt       Options
	defs      *trace.Definitions
	from, to  int64
	memory    int64
	done      int64 // events
}

func (s *search) run(ctx context.Context) (*Result, error) {
	found := newSpool[link](s.memory / 4)
	defer found.close()
	f := s.flow(ctx)
	f.each = func(w *Wait) error {
		if s.opt.EachWait != nil {
			if err := s.opt.EachWait(f.paths, w); err != nil {
				return err
			}
		}
		if s.opt.Critical {
			return keepLink(found, w)
		}
		return nil
	}
	if err := s.find(f); err != nil {
		return nil, err
	}
	r := &Result{Paths: f.paths, From: s.from, To: min(s.to, s.reader.Info().Last)}
	f.result(r)
	if !s.opt.Critical {
		return r, nil
	}
	var err error
	r.Critical, err = s.critical(ctx, f, found)
	return r, err
}

// part takes what counts for waits out of a part of the window.
func (s *search) part(p *store.Part) (*part, error) { return partOf(p, s.to) }

func (s *search) flow(ctx context.Context) *flow {
	f := &flow{
		ctx: ctx, info: s.reader.Info(), defs: s.defs, from: s.from, to: s.to, paths: newPaths(s.defs), roles: roles{s.defs, map[uint64]role{}},
		byID: map[uint64]*place{}, processes: map[uint64]int32{}, operations: map[turn]*operation{}, sums: newSums(), memory: s.memory,
	}
	for _, id := range s.locations {
		f.place(id)
	}
	return f
}

// find follows the events of the window, and as many around it as the waits in it need.
func (s *search) find(f *flow) error {
	to, err := s.end(f)
	if err != nil {
		return err
	}
	f.window = s.reader.Window(s.from, to)
	if err := s.begin(f); err != nil {
		return err
	}
	if err := f.count(s.from, to); err != nil {
		return err
	}
	for x, err := range store.Parts(f.window, store.PartEvents|store.PartMessages, s.part) {
		if err == nil {
			err = f.follow(x)
		}
		if err != nil {
			return err
		}
		s.done += x.events
		s.opt.Progress.Report(s.done, 0)
	}
	return f.end()
}

// end returns up to when events are read: until all calls of communication are left that are open at the window's end, and those in which
// others take part in the same operations.
func (s *search) end(f *flow) (int64, error) {
	to := s.to
	for range 2 {
		if to > s.reader.Info().Last {
			break
		}
		open, err := s.reader.Window(to, to+1).OpenCalls()
		if err != nil {
			return 0, err
		}
		for i := range open {
			if c := &open[i]; f.roles.role(c.Region)&communicates != 0 {
				to = max(to, c.End+1)
			}
		}
	}
	return to, nil
}

// begin opens the calls that are open when the window begins, and looks for the requests of sends that are under way.
func (s *search) begin(f *flow) error {
	open, err := f.window.OpenCalls()
	if err != nil {
		return err
	}
	for i := range open {
		c := &open[i]
		if c.Context != trace.Undefined {
			f.open(f.place(c.Location), c.Context, c.Region, false, c.Start, c.Ordinal)
		} else {
			f.open(f.place(c.Location), c.Region, c.Region, true, c.Start, c.Ordinal)
		}
	}
	return f.lookBack()
}
