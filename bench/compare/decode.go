package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pandotrace/pando/store"
)

// decode shows how fast one core decodes what is in memory.
func (b *bench) decode() error {
	b.printf(`
One core, from memory, millions of events per second. *Whole file*: all events by ` + "`Window.Batches`" + ` of a reader just opened,
checksums and dictionaries included. *slices* and *batches*: ` + "`BenchmarkDecode`" + ` of package store, slices with all they need at hand,
decoded as far as queries need them, or to batches. *values*: that of package encode, values of columns.
`)
	samples, err := b.samples()
	if err != nil {
		return err
	}
	t := newTable("trace", "what", "M/s")
	defer b.table(t)
	if err := b.decodeWhole(samples, t); err != nil {
		return err
	}
	var names []string
	for _, s := range samples {
		names = append(names, regexp.QuoteMeta(s.name))
	}
	for _, of := range []struct{ folder, pattern string }{
		{"store", "^BenchmarkDecode$/^(" + strings.Join(names, "|") + ")$"}, {"encode", "^BenchmarkDecode$"},
	} {
		b.say("benchmarks of %s", of.folder)
		if err := b.benchmark(of.folder, of.pattern, t); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) decodeWhole(samples []*sample, t *table) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var all []contender[float64]
	for _, s := range samples {
		file, err := os.ReadFile(s.file)
		if err != nil {
			return err
		}
		all = append(all, contender[float64]{s.name, func(int) (float64, error) { return decodeFile(file) }})
	}
	b.say("decoding whole files")
	measured, err := inTurns(b.rounds, all)
	if err != nil {
		return err
	}
	for i, s := range samples {
		t.row(s.name, "whole file", spreadOf(measured[i]))
	}
	return nil
}

// decodeFile returns millions of events per second.
func decodeFile(file []byte) (float64, error) {
	begin := time.Now()
	r, err := store.NewReader(bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		return 0, err
	}
	n := 0
	for batch, err := range r.All().Batches() {
		if err != nil {
			return 0, err
		}
		n += batch.Len()
	}
	if uint64(n) != r.Info().Events {
		return 0, fmt.Errorf("%d events of %d", n, r.Info().Events)
	}
	return float64(n) / 1e6 / time.Since(begin).Seconds(), nil
}

// benchmark runs benchmarks of go test and adds what they say of speed.
func (b *bench) benchmark(folder, pattern string, t *table) error {
	cmd := exec.CommandContext(b.ctx, "go", "test", "-run", "^$", "-bench", pattern, "-benchtime", "0.3s", "-cpu", "1",
		"-count", strconv.Itoa(b.rounds), "./"+folder)
	cmd.Dir = b.root
	var out bytes.Buffer
	cmd.Stdout = &out
	if err := runQuietly(cmd); err != nil {
		return fmt.Errorf("%w%s", err, out.Bytes())
	}
	for _, s := range speeds(out.String()) {
		of, what, ok := strings.Cut(s.name, "/")
		if !ok {
			of, what = "", "values"
		}
		t.row(of, what, spreadOf(s.values))
	}
	return nil
}

// speed is what the runs of a benchmark say.
type speed struct {
	name   string // without that of the function
	values []float64
}

// speeds finds speeds in the output of go test, in millions per second.
func speeds(out string) (all []speed) {
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		_, name, _ := strings.Cut(fields[0], "/")
		at := slices.IndexFunc(all, func(s speed) bool { return s.name == name })
		for i := 3; i < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i-1], 64)
			switch {
			case err != nil:
				continue
			case fields[i] == "ns/value":
				value = 1e3 / value
			case fields[i] != "Mevents/s":
				continue
			}
			if at < 0 {
				at, all = len(all), append(all, speed{name: name})
			}
			all[at].values = append(all[at].values, value)
		}
	}
	return all
}
