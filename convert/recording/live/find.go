package live

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/trace"
)

// State is what a process that records is doing.
type State string

// States of processes.
const (
	Running   State = "running"
	Paused    State = "paused"
	Closed    State = "closed"    // it has ended its recording
	Died      State = "died"      // it is gone without having ended it
	Elsewhere State = "elsewhere" // it is one of another host, of which nobody knows here
)

// Process is a process that records, or has recorded, into a folder.
type Process struct {
	recording.Status
	State State
	// Meta describes what it has recorded, and what it gave up.
	Meta *trace.Meta
}

// Name is what errors call the process.
func (p *Process) Name() string {
	if p.Rank < 0 {
		return fmt.Sprintf("process %d", p.PID)
	}
	return fmt.Sprintf("rank %d (process %d)", p.Rank, p.PID)
}

// Records reports whether the process goes on recording, or would if it were not paused.
func (p *Process) Records() bool { return p.State == Running || p.State == Paused }

// named are the names of recordings, which are ranks. Snapshots that a program writes itself have other names.
var named = regexp.MustCompile(`^[0-9]+\.pandorec$`)

// Find returns the processes that record into a folder, or have done so, in the order of their ranks.
func Find(dir string) ([]*Process, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("%s is no folder; that of the recordings of a run is wanted", dir)
	}
	if err != nil {
		return nil, err
	}
	var list []*Process
	for _, e := range entries {
		if !named.MatchString(e.Name()) {
			continue
		}
		p, err := find(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no program records into this folder", dir)
	}
	return list, nil
}

func find(path string) (*Process, error) {
	a, err := recording.Open(path)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	list, err := recording.StatusOf(a)
	if err != nil {
		return nil, err
	}
	p := &Process{Status: list[0], Meta: a.Meta()}
	p.State, err = p.look()
	return p, err
}

// look finds out what the process is doing.
func (p *Process) look() (State, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	switch {
	case p.Closed:
		return Closed, nil
	case p.Host != host:
		return Elsewhere, nil
	}
	info, err := os.Stat(p.Path)
	if err != nil {
		return "", err
	}
	switch lives := alive(p.PID, info); {
	case !lives:
		return Died, nil
	case p.Status.Paused:
		return Paused, nil
	}
	return Running, nil
}
