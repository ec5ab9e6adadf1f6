// Package launch runs programs that record themselves.
package launch

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
)

// Program is how a program records itself.
type Program struct {
	// Folder is the path of the folder for its recordings.
	Folder string
	// Budget is the size of each recording: 64M.
	Budget string
	// Last is for how long the newest events are kept: 10s; empty for the whole run.
	Last string
	// Library is the path of the library that records MPI; if it is empty, it is looked for beside this program.
	Library string
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
	if library := p.found(); library != "" {
		path, err := filepath.Abs(library)
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			return nil, err
		}
		preload := path
		if before := os.Getenv("LD_PRELOAD"); before != "" {
			preload += ":" + before
		}
		list = append(list, "LD_PRELOAD="+preload)
	}
	return list, nil
}

// found returns the library that is to be preloaded, "" if there is none.
func (p *Program) found() string {
	self, err := os.Executable()
	if p.Library != "" || err != nil {
		return p.Library
	}
	for _, folder := range []string{"", "../lib"} {
		path := filepath.Join(filepath.Dir(self), folder, "libpando-mpi.so")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
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
