package attack

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Options of an Attack.
type Options struct {
	Program []string // the program, with arguments that come before its own
	Env     []string // added to the environment
	Seed    uint64
	Share   float64 // of the inputs of a full run; of each kind there is one at least
	Only    string  // a part of the names of kinds; "" for all
	Work    string  // an empty folder
	Vectors string  // the folder of the specification's vectors
	Workers int     // programs that run at a time
	// Unpack returns a folder that holds a bundled trace.
	Unpack func(name string) (dir string, err error)
	// Progress, if not nil, is called after each input.
	Progress func(kind string, number int)
}

// Attack is one run over all kinds of inputs.
type Attack struct {
	Options
	work    string
	bases   *bases
	folders atomic.Int64

	mu      sync.Mutex
	answers map[string]string // of sound files
}

// Result is what came of the inputs of a kind.
type Result struct {
	Group, Kind       string
	Inputs            int
	Refused, Answered int
	Memory            int64   // the largest resident set, in bytes
	CPU               float64 // the longest, in seconds of a processor
	Wrong             []Wrong
}

// Wrong is an input that was not dealt with as it has to be.
type Wrong struct {
	Kind    string
	Number  int
	Command string
	What    string
}

// Run tries all inputs.
func Run(o Options) ([]Result, error) {
	a := &Attack{Options: o, answers: map[string]string{}}
	var err error
	if a.work, err = filepath.Abs(o.Work); err != nil {
		return nil, err
	}
	if err := a.makeBases(o.Vectors, o.Unpack); err != nil {
		return nil, fmt.Errorf("making sound files: %w", err)
	}
	var results []Result
	for _, k := range kinds() {
		if !a.wanted(k.group + ", " + k.name) {
			continue
		}
		r, err := a.tryAll(k)
		if err != nil {
			return results, err
		}
		results = append(results, r)
	}
	if a.wanted(clientGroup + ", " + clientName) {
		r, err := a.tryClients()
		if err != nil {
			return results, err
		}
		results = append(results, r)
	}
	return results, nil
}

// share returns how many inputs there are of a full number of them.
func (a *Attack) share(full int) int { return max(1, int(float64(full)*a.Share)) }

// folder makes a new empty folder.
func (a *Attack) folder() (string, error) {
	dir := filepath.Join(a.work, fmt.Sprint("t", a.folders.Add(1)))
	return dir, os.MkdirAll(filepath.Join(dir, tempFolder), 0o777)
}

// tempFolder is where the program puts its temporary files.
const tempFolder = "tmp"

// command returns the program with some arguments.
func (a *Attack) command(args ...string) *exec.Cmd {
	all := append(slices.Clone(a.Program[1:]), args...)
	c := exec.Command(a.Program[0], all...)
	c.Env = append(os.Environ(), a.Env...)
	return c
}

// tryAll tries the inputs of a kind, some at a time.
func (a *Attack) tryAll(k kind) (Result, error) {
	r := Result{Group: k.group, Kind: k.name, Inputs: a.share(k.full)}
	numbers := make(chan int)
	var mu sync.Mutex
	var failed error
	var group sync.WaitGroup
	for range max(a.Workers, 1) {
		group.Go(func() {
			for n := range numbers {
				o, err := a.tryOne(k, n)
				mu.Lock()
				if err != nil {
					failed = cmp.Or(failed, fmt.Errorf("%s, %s, number %d: %w", k.group, k.name, n, err))
				} else {
					r.note(o, k, n)
				}
				mu.Unlock()
				if a.Progress != nil {
					a.Progress(k.group+", "+k.name, n)
				}
			}
		})
	}
	for n := range r.Inputs {
		numbers <- n
	}
	close(numbers)
	group.Wait()
	slices.SortFunc(r.Wrong, func(a, b Wrong) int { return cmp.Compare(a.Number, b.Number) })
	return r, failed
}

func (r *Result) note(o *outcome, k kind, number int) {
	r.Memory, r.CPU = max(r.Memory, o.memory), max(r.CPU, o.cpu)
	switch {
	case o.wrong != "":
		r.Wrong = append(r.Wrong, Wrong{k.group + ", " + k.name, number, o.command, o.wrong})
	case o.code == 0:
		r.Answered++
	default:
		r.Refused++
	}
}

// tryOne makes an input, gives it to the program and judges the outcome.
func (a *Attack) tryOne(k kind, number int) (*outcome, error) {
	dir, err := a.folder()
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what stays is found by the next run
	t, err := k.make(a, newDice(a.Seed, k.group+k.name, number), dir)
	if err != nil {
		return nil, err
	}
	before, err := listed(dir)
	if err != nil {
		return nil, err
	}
	o, err := a.run(t, dir)
	if err != nil {
		return nil, err
	}
	o.wrong = t.judge(o, dir, before)
	return o, nil
}

func (a *Attack) wanted(name string) bool { return strings.Contains(name, a.Only) }
