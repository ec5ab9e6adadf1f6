package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/trace"
)

// replayed are the traces whose calls are recorded once more.
var replayed = []string{"lu.W.8", "amg.8", "mg.W.64", "bt.S.16", "lulesh.8x4omp"}

// program is the calls of a trace, by processes.
type program struct {
	processes []*process
	byID      map[uint64]*process
	regions   uint64
	calls     int
}

// process is the calls of one process, in a file as replay wants them.
type process struct {
	file             *os.File
	w                *bufio.Writer
	exclusive, start [][]uint64 // of each call of each location in the order of begins, in ticks
}

func replays(ctx context.Context, o *order, out io.Writer) error {
	replay, err := o.built(ctx, "replay")
	if err != nil {
		return err
	}
	fmt.Fprint(out, "\nCalls of real programs in the largest budget that keeps a tenth of them or less:\n\n| trace | calls | budget of a process | kept | exclusive time of them |\n|---|---|---|---|---|\n")
	for _, name := range replayed {
		archive, err := filepath.Glob(filepath.Join(o.traces, "otf2."+name, "*", "*.otf2"))
		if err != nil || len(archive) != 1 {
			return fmt.Errorf("%s: archive otf2.%s: %v, %w", o.traces, name, archive, err)
		}
		p, err := load(ctx, archive[0], o.work)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		budget, kept, time, err := p.tenth(ctx, o, replay)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(out, "| %s | %d | %d kB | %.1f %% | %.1f %% |\n", name, p.calls, budget>>10, 100*kept, 100*time)
	}
	return nil
}

// load reads the calls of a trace and writes them for replay.
func load(ctx context.Context, path, dir string) (p *program, err error) {
	src, err := convert.Open(ctx, path, convert.Options{})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	log, err := src.Definitions(0)
	if err != nil {
		return nil, err
	}
	groups := map[uint64]uint64{} // processes, by locations
	for _, l := range trace.NewDefinitions(log).Locations {
		groups[l.ID] = l.Group
	}
	p = &program{byID: map[uint64]*process{}}
	for _, info := range src.Streams() {
		if info.Class != trace.StreamEvents {
			continue
		}
		q, err := p.process(groups[info.Location], dir)
		if err != nil {
			return nil, err
		}
		if len(q.start) > 0 {
			q.write(0, 0, 2)
		}
		if err := p.location(src, info.StreamID, q); err != nil {
			return nil, err
		}
	}
	for _, q := range p.processes {
		if err := errors.Join(q.w.Flush(), q.file.Close()); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// process finds a process, or makes it.
func (p *program) process(id uint64, dir string) (*process, error) {
	if q := p.byID[id]; q != nil {
		return q, nil
	}
	file, err := os.CreateTemp(dir, "events")
	if err != nil {
		return nil, err
	}
	q := &process{file: file, w: bufio.NewWriter(file)}
	p.byID[id], p.processes = q, append(p.processes, q)
	return q, nil
}

func (q *process) write(time, region uint64, what uint32) {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], time)
	binary.LittleEndian.PutUint32(b[8:], uint32(region))
	binary.LittleEndian.PutUint32(b[12:], what)
	_, _ = q.w.Write(b[:]) // Flush returns the error
}

// location adds the calls of a location. Times strictly increase, as in recordings.
func (p *program) location(src trace.Source, id trace.StreamID, q *process) error {
	s, err := src.Open(id)
	if err != nil {
		return err
	}
	var b trace.Batch
	var starts, exclusive []uint64
	var open []int
	last, before := uint64(1)<<40, uint64(1)<<40
	for {
		if err := s.Next(&b, 4096); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		for i, k := range b.Kinds {
			if k != trace.KindEnter && (k != trace.KindLeave || len(open) == 0) {
				continue
			}
			if last = max(uint64(b.Times[i])+1<<40, last+1); len(open) > 0 {
				exclusive[open[len(open)-1]] += last - before
			}
			before = last
			if k == trace.KindLeave {
				open = open[:len(open)-1]
				q.write(last, 0, 0)
				continue
			}
			region := b.Fields(i)[0]
			open, starts, exclusive, p.regions = append(open, len(starts)), append(starts, last), append(exclusive, 0), max(p.regions, region+1)
			q.write(last, region, 1)
		}
	}
	for range open {
		last++
		q.write(last, 0, 0)
	}
	q.start, q.exclusive, p.calls = append(q.start, starts), append(q.exclusive, exclusive), p.calls+len(starts)
	return nil
}

// tenth finds the largest budget of a process, to a 32nd, in which a tenth of the calls or less is kept.
func (p *program) tenth(ctx context.Context, o *order, replay string) (budget int, kept, time float64, err error) {
	low, high := 128<<10, 32*p.calls/len(p.processes)+1<<20
	for high-low > low/32 {
		middle := (low + high) / 2
		k, t, err := p.replay(ctx, o, replay, middle)
		switch {
		case err != nil:
			return 0, 0, 0, err
		case k <= 0.1:
			low, budget, kept, time = middle, middle, k, t
		default:
			high = middle
		}
	}
	return budget, kept, time, nil
}

// replay returns which part of the calls was kept, and which part of the exclusive time of all is theirs. All processes give up what one of them does.
func (p *program) replay(ctx context.Context, o *order, replay string, budget int) (kept, time float64, err error) {
	dir, err := os.MkdirTemp(o.work, "run.d")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	var files []string
	var lists [][2][]uint64
	all := uint64(0)
	for rank, q := range p.processes {
		variables := []string{fmt.Sprint("PANDO_BUDGET=", budget), fmt.Sprint("PANDO_RANK=", rank), fmt.Sprint("PANDO_RANKS=", len(p.processes)), "PANDO_RUN=1", "PANDO_DIR=" + dir}
		if _, err := o.start(ctx, dir, variables, replay, q.file.Name(), fmt.Sprint(p.regions)); err != nil {
			return 0, 0, err
		}
		files = append(files, filepath.Join(dir, fmt.Sprint(rank, ".pandorec")))
		for i, starts := range q.start {
			if len(starts) > 0 { // a thread without calls is no location
				lists = append(lists, [2][]uint64{starts, q.exclusive[i]})
			}
			for _, t := range q.exclusive[i] {
				all += t
			}
		}
	}
	calls, attributed, err := attribute(lists, files)
	return float64(calls) / float64(p.calls), float64(attributed) / float64(all), err
}

// attribute counts the calls in recordings, and adds up their exclusive times.
func attribute(lists [][2][]uint64, files []string) (calls int, time uint64, err error) {
	src, err := recording.Open(files...)
	if err != nil {
		return 0, 0, err
	}
	defer src.Close()
	at := 0
	for _, info := range src.Streams() {
		if info.Class != trace.StreamEvents {
			continue
		}
		if at == len(lists) {
			return 0, 0, fmt.Errorf("%d locations and more", at)
		}
		n, t, err := attributed(src, info.StreamID, lists[at])
		if err != nil {
			return 0, 0, err
		}
		calls, time, at = calls+n, time+t, at+1
	}
	return calls, time, nil
}

// attributed does it for a location: list has the begins of its calls, all unlike, and their exclusive times.
func attributed(src *recording.Archive, id trace.StreamID, list [2][]uint64) (calls int, time uint64, err error) {
	s, err := src.Open(id)
	if err != nil {
		return 0, 0, err
	}
	epoch := src.Meta().Epoch
	starts, exclusive := list[0], list[1]
	var b trace.Batch
	for {
		if err := s.Next(&b, 4096); err == io.EOF {
			return calls, time, nil
		} else if err != nil {
			return 0, 0, err
		}
		for i, k := range b.Kinds {
			if k != trace.KindEnter {
				continue
			}
			begin, n := uint64(b.Times[i])+epoch, 0
			for n < len(starts) && starts[n] < begin {
				n++
			}
			if n == len(starts) || starts[n] != begin {
				return 0, 0, fmt.Errorf("location %d: no call begins at %d", id.Location, begin)
			}
			calls, time = calls+1, time+exclusive[n]
			starts, exclusive = starts[n+1:], exclusive[n+1:]
		}
	}
}
