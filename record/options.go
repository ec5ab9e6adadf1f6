package record

import (
	"errors"
	"fmt"
)

// Mode says what happens when the budget is used up.
type Mode uint32

// The numbers of modes are part of the layout.
const (
	// Keep gives up values of metrics, and then calls over the whole run: the shortest ones, or those that Options.By says.
	Keep Mode = 1
	// Last gives up the oldest calls and events: a flight recorder.
	Last Mode = 2
	// Stop records nothing more, but goes on to count.
	Stop Mode = 3
)

// Options of a recorder. Zero fields mean what a variable of the environment says, as pando record sets them: PANDO_BUDGET, PANDO_MODE, PANDO_REDUCE, PANDO_PHASES, PANDO_FILTER, PANDO_RANK and PANDO_RANKS (or those of Open MPI,
// MPICH and Slurm), PANDO_RUN, PANDO_PREFAULT; and else the default.
type Options struct {
	// Budget is the size of the recording, in bytes (default 64 MiB, at least 128 KiB). Nothing else of the recorder grows with the run.
	Budget int
	// Mode says what happens when the budget is used up (default Keep).
	Mode Mode
	// By says which calls are given up first in mode Keep (default Duration).
	By Reduction
	// Phases says of which regions only some calls are recorded, to stand for the others (default none).
	Phases Phases
	// Filter says by names which regions are recorded: "!std::*; !get?" leaves some out, "MPI_*; solve" all others. The last rule that matches counts; * is any text, ? one byte. Calls of
	// regions that are left out are counted in the profile only. At most 1,023 bytes.
	Filter string
	// Rank is the number of this process among Ranks processes of one run that record into one folder. Both are 0 if there is only one.
	Rank, Ranks int
	// Run is a number that all processes of a run share.
	Run uint64
	// Counters are names of what the processor and the kernel count of threads, separated by commas: see Location.CountThread.
	Counters string
	// Monotonic has times taken from the system's monotonic clock, also where the processor's counter could be used.
	Monotonic bool
	// Prefault touches all memory at the start, so that no event waits for a page.
	Prefault bool
}

const (
	defaultBudget = 64 << 20
	minBudget     = 128 << 10
	binsWanted    = 1024
)

// complete fills in what the environment says, and defaults.
func (o *Options) complete() error {
	if err := o.fromEnvironment(); err != nil {
		return err
	}
	if o.Budget == 0 {
		o.Budget = defaultBudget
	}
	if o.Mode == 0 {
		o.Mode = Keep
	}
	switch {
	case o.Budget < minBudget || o.Budget > 1<<40:
		return fmt.Errorf("record: a budget of %d bytes; it may be %d bytes to 1 TiB", o.Budget, minBudget)
	case o.Mode > Stop:
		return fmt.Errorf("record: no mode has the number %d", o.Mode)
	case o.Rank < 0 || o.Ranks < 0 || o.Rank > 0 && o.Rank >= o.Ranks:
		return fmt.Errorf("record: rank %d of %d", o.Rank, o.Ranks)
	}
	return errors.Join(CheckFilter(o.Filter), o.By.Check(), o.Phases.Check(), CheckCounters(o.Counters))
}

// binSize is the size of bins for a budget: a power of two, for about 1,024 bins.
func (o *Options) binSize() int {
	size := minBin
	for size < maxBin && o.Budget/size > binsWanted {
		size *= 2
	}
	return size
}
