package shapes

import (
	"cmp"
	"context"
	"fmt"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Options are options of [Of]. The zero value means the defaults.
type Options struct {
	// Unusual is the number of unusual calls that are found; 0 for none.
	Unusual int
	// Waits has unusual calls of regions that wait for others, too.
	Waits bool
	// Memory bounds the memory in bytes; 0 means 256 MiB. Where classes do not fit into it, coarser ones are made; where the times of calls
	// do not, those of a part of them are kept.
	Memory int64
	// Progress counts events. It begins anew where coarser classes are made.
	Progress trace.Progress
}

// MemoryError says that the calls that are open at once take more than the memory. It is [memory.ErrExceeded] to errors.Is.
type MemoryError struct{ Memory int64 }

// Error says what takes more than the memory.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("calls that are open at once take more than an eighth of %d MiB: choose fewer locations, or more memory", e.Memory>>20)
}

// Is reports whether the target is [memory.ErrExceeded].
func (e *MemoryError) Is(target error) bool { return target == memory.ErrExceeded }

// Of divides the calls of a window into classes. Calls that the window cuts, and those that are never left, are in no class. Of the window's filters,
// that of locations selects calls, and that of regions the unusual ones. The work ends with the context.
func Of(ctx context.Context, r *store.Reader, w *store.Window, o Options) (*Answer, error) {
	o.Memory = cmp.Or(o.Memory, memory.Usual)
	r = r.WithContext(ctx)
	defs, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	ids, err := r.LocationIDs()
	if err != nil {
		return nil, err
	}
	for level := Whole; ; level++ {
		forest := calltree.NewForest()
		walk := newWalk(forest, ids, level, &o)
		fits, err := walk.follow(ctx, w, forest.Events(defs, nil), o.Progress)
		if err != nil {
			return nil, fmt.Errorf("classes of calls: %w", err)
		}
		if fits {
			return walk.answer(defs, w, &o), nil
		}
	}
}
