// Package launch runs programs that record themselves.
package launch

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/record"
)

// Program is how a program records itself.
type Program struct {
	// Folder is the path of the folder for its recordings.
	Folder string
	// Budget is the size of each recording: 64M.
	Budget string
	// Last is for how long the newest events are kept: 10s; empty for the whole run.
	Last string
	// Reduce says which calls are given up first, or is empty.
	Reduce string
	// Phases says of which regions only some calls are recorded, or is empty.
	Phases string
	// Filter says which regions are recorded, by rules or the name of a filter file of Score-P; if it is empty, that of PANDO_FILTER does.
	Filter string
	// Counters are names of what is counted of each thread, or empty.
	Counters string
	// Library is the path of the library that records MPI; if it is empty, it is looked for beside this program.
	Library string
	// OpenMP is the path of the tool that LLVM's OpenMP runtime loads; if it is empty, it is looked for as well.
	OpenMP string
}

// Environment returns the variables by which the program and the library know what to do.
func (p *Program) Environment() ([]string, error) {
	mode := "keep"
	if p.Last != "" {
		mode = "last"
		if d, err := time.ParseDuration(p.Last); err != nil || d <= 0 {
			return nil, verb.Usagef("--last %s is no time, as 10s is", p.Last)
		}
	}
	list := append(os.Environ(), "PANDO_DIR="+p.Folder, "PANDO_BUDGET="+p.Budget, "PANDO_MODE="+mode, "PANDO_RUN="+strconv.FormatInt(time.Now().UnixNano(), 10))
	if p.Reduce != "" {
		if err := record.Reduction(p.Reduce).Check(); err != nil {
			return nil, verb.Usagef("--reduce: %w", err)
		}
		list = append(list, "PANDO_REDUCE="+p.Reduce)
	}
	if p.Phases != "" {
		if err := record.Phases(p.Phases).Check(); err != nil {
			return nil, verb.Usagef("--phases: %w", err)
		}
		list = append(list, "PANDO_PHASES="+p.Phases)
	}
	if err := record.CheckCounters(p.Counters); err != nil {
		return nil, verb.Usagef("--counters: %w", err)
	}
	if p.Counters != "" {
		list = append(list, "PANDO_COUNTERS="+p.Counters)
	}
	rules, err := Rules(cmp.Or(p.Filter, os.Getenv("PANDO_FILTER")))
	if err != nil {
		return nil, fmt.Errorf("--filter: %w", err)
	}
	if rules != "" {
		list = append(list, "PANDO_FILTER="+rules)
	}
	for _, l := range []struct{ variable, file, chosen string }{
		{"LD_PRELOAD", "libpando-mpi.so", p.Library},
		{"OMP_TOOL_LIBRARIES", "libpando-ompt.so", p.OpenMP},
	} {
		path, err := library(l.chosen, l.file)
		if err != nil {
			return nil, err
		}
		if path == "" {
			continue
		}
		if before := os.Getenv(l.variable); before != "" {
			path += ":" + before
		}
		list = append(list, l.variable+"="+path)
	}
	return list, nil
}

// library returns the path of the library that was chosen, or of the one that stands beside this program or in ../lib; "" if there is none.
func library(chosen, file string) (string, error) {
	if chosen != "" {
		path, err := filepath.Abs(chosen)
		if err == nil {
			_, err = os.Stat(path)
		}
		return path, err
	}
	self, err := os.Executable()
	if err != nil {
		return "", nil
	}
	for _, folder := range []string{"", "../lib"} {
		path := filepath.Join(filepath.Dir(self), folder, file)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", nil
}

// Run runs a program and passes on the signals that come meanwhile. Those of the terminal's keys reach the program without us, so they are not
// passed on when we are in its foreground.
func Run(c *exec.Cmd) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, passed...)
	defer signal.Stop(signals)
	if err := c.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for {
		select {
		case err := <-ended:
			return err
		case s := <-signals:
			if key := s == os.Interrupt || s == syscall.SIGQUIT; !key || !inForeground() {
				c.Process.Signal(s) // an error says that it has ended
			}
		}
	}
}
