package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
)

// task is work that programs do on a trace. The first of them is Pando's.
type task struct {
	name     string
	programs func(*bench, *sample) []contender[usage]
}

var tasks = []task{
	{"convert", converters},
	{"print", printers},
}

// conversion compares what reads a whole trace.
func (b *bench) conversion() error {
	b.printf(`
Whole traces, programs from start to end. *OTF2's C library* reads every event with no callback set, on one thread: the least that
any reader pays. ` + "`otf2-print`" + ` and ` + "`pando cat`" + ` print all events to nowhere. Events per second of wall time and of CPU time (of all
threads), in millions; the most memory resident, in MB.
`)
	t := newTable("trace", "work", "program", "wall M/s", "CPU M/s", "memory MB", "wall ratio", "CPU ratio", "memory ratio")
	defer b.table(t)
	samples, err := b.samples()
	if err != nil {
		return err
	}
	for _, s := range samples {
		for _, k := range tasks {
			b.say("%s: %s", k.name, s.name)
			if err := b.do(k, s, t); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	return nil
}

func (b *bench) do(k task, s *sample, t *table) error {
	programs := k.programs(b, s)
	measured, err := inTurns(b.rounds, programs)
	if err != nil {
		return err
	}
	for i, p := range programs {
		t.row(append([]any{s.name, k.name, p.name}, usageCells(float64(s.Events), measured[i], measured[0])...)...)
	}
	return nil
}

// usageCells shows what a program took, and for what is not Pando the ratios to Pando.
func usageCells(events float64, of, pando []usage) (cells []any) {
	wall, cpu, peak := each(of, wallSeconds), each(of, cpuSeconds), each(of, peakBytes)
	speed := func(seconds float64) float64 { return events / 1e6 / max(seconds, 1e-6) }
	megabytes := func(bytes float64) float64 { return bytes / 1e6 }
	cells = []any{spreadOf(each(wall, speed)), spreadOf(each(cpu, speed)), spreadOf(each(peak, megabytes))}
	if &of[0] == &pando[0] {
		return cells
	}
	return append(cells, spreadOf(ratios(wall, each(pando, wallSeconds))),
		spreadOf(ratios(cpu, each(pando, cpuSeconds))), spreadOf(ratios(peak, each(pando, peakBytes))))
}

func converters(b *bench, s *sample) []contender[usage] {
	out := filepath.Join(b.work, "converted.pando")
	all := []contender[usage]{{"pando convert", func(int) (usage, error) {
		return b.pando("convert", "--force", s.path, out)
	}}}
	if s.format == "OTF2" && b.peers.otf2read.missing == nil {
		all = append(all, contender[usage]{b.peers.otf2read.name, func(int) (usage, error) { return b.readByLibrary(s) }})
	}
	return all
}

// readByLibrary makes sure that the library saw all events.
func (b *bench) readByLibrary(s *sample) (usage, error) {
	var out bytes.Buffer
	u, err := b.measured(&out, nil, b.peers.otf2read.path, s.path)
	if err != nil {
		return u, err
	}
	n, err := strconv.ParseUint(string(bytes.TrimSpace(out.Bytes())), 10, 64)
	if err == nil && n != s.Events {
		err = fmt.Errorf("it read %d events of %d", n, s.Events)
	}
	return u, err
}

func printers(b *bench, s *sample) []contender[usage] {
	all := []contender[usage]{{"pando cat", func(int) (usage, error) { return b.pando("cat", s.file) }}}
	if s.format == "OTF2" && b.peers.otf2print.missing == nil {
		all = append(all, contender[usage]{b.peers.otf2print.name, func(int) (usage, error) {
			return b.measured(nil, nil, b.peers.otf2print.path, s.path)
		}})
	}
	return all
}
