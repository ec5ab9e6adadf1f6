package record

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// variables reads settings of the environment, and keeps the first error.
type variables struct{ err error }

// first returns the first of some variables that is set, "" if none is.
func (v *variables) first(names ...string) (name, value string) {
	for _, name = range names {
		if value = os.Getenv(name); value != "" {
			return name, value
		}
	}
	return "", ""
}

// number takes the first of some variables that is set into a number that is 0.
func (v *variables) number(n *uint64, names ...string) {
	name, text := v.first(names...)
	if *n != 0 || text == "" {
		return
	}
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil && v.err == nil {
		v.err = fmt.Errorf("record: %s is %q, which is no number", name, text)
	}
	*n = value
}

// size takes a variable into a size in bytes that is 0: 64M, 1GiB, or a number.
func (v *variables) size(n *int, name string) {
	text := os.Getenv(name)
	if *n != 0 || text == "" {
		return
	}
	digits := strings.TrimSuffix(strings.TrimSuffix(text, "B"), "i")
	shift := 0
	for unit, by := range map[string]int{"k": 10, "K": 10, "M": 20, "G": 30} {
		if rest, ok := strings.CutSuffix(digits, unit); ok {
			digits, shift = rest, by
			break
		}
	}
	const most = 1 << 40
	value, err := strconv.ParseUint(digits, 10, 64)
	if (err != nil || value > most>>shift) && v.err == nil {
		v.err = fmt.Errorf("record: %s is %q, which is no size like 64M of at most 1 TiB", name, text)
		return
	}
	*n = int(value << shift)
}

// fromEnvironment takes from the environment what the options do not say. pando record and launchers of MPI set it.
func (o *Options) fromEnvironment() error {
	var v variables
	v.size(&o.Budget, "PANDO_BUDGET")
	if text := os.Getenv("PANDO_MODE"); o.Mode == 0 && text != "" {
		mode, ok := map[string]Mode{"keep": Keep, "last": Last, "stop": Stop}[text]
		if !ok {
			return fmt.Errorf("record: PANDO_MODE is %q, not keep, last or stop", text)
		}
		o.Mode = mode
	}
	if o.By == "" {
		o.By = Reduction(os.Getenv("PANDO_REDUCE"))
		if err := o.By.Check(); err != nil {
			return fmt.Errorf("%w, says PANDO_REDUCE", err)
		}
	}
	if o.Phases == "" {
		o.Phases = Phases(os.Getenv("PANDO_PHASES"))
		if err := o.Phases.Check(); err != nil {
			return fmt.Errorf("%w, says PANDO_PHASES", err)
		}
	}
	if o.Filter == "" {
		o.Filter = os.Getenv("PANDO_FILTER")
	}
	if o.Counters == "" {
		o.Counters = os.Getenv("PANDO_COUNTERS")
	}
	if o.Ranks == 0 && o.Rank == 0 {
		var rank, ranks uint64
		v.number(&ranks, "PANDO_RANKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS")
		if ranks > 0 {
			v.number(&rank, "PANDO_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
		}
		const most = 1 << 31
		o.Rank, o.Ranks = int(min(rank, most)), int(min(ranks, most))
	}
	v.number(&o.Run, "PANDO_RUN")
	var prefault uint64
	v.number(&prefault, "PANDO_PREFAULT")
	o.Prefault = o.Prefault || prefault != 0
	return v.err
}

// folder returns the folder of the run.
func folder(dir string) string {
	if dir == "" {
		dir = os.Getenv("PANDO_DIR")
	}
	if dir == "" {
		dir = "run.d"
	}
	return dir
}
