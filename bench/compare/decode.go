package main

import (
	"bytes"
	"context"
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

// decode shows how fast one core decodes and writes what is in memory.
func (b *bench) decode() error {
	b.printf(`
One core, from memory, millions of events per second. *Whole file*: all events by ` + "`Window.Batches`" + ` of a reader just opened,
checksums and dictionaries included, again and again for a fifth of a second. *OTF2's C library* reads the original in the same
round; that is its processor time. *slices* and *batches*: ` + "`BenchmarkDecode`" + ` of package store, slices with all they need at
hand, decoded as far as queries need them, or to batches. *writer*: ` + "`BenchmarkWrite`" + `, batches become a file that goes nowhere.
*values*: that of package encode, values of columns.
`)
	samples, err := b.samples()
	if err != nil {
		return err
	}
	t := newTable("trace", "what", "M/s", "ratio")
	defer b.table(t)
	if err := b.decodeWhole(samples, t); err != nil {
		return err
	}
	var names []string
	for _, s := range samples {
		names = append(names, regexp.QuoteMeta(s.name))
	}
	for _, of := range []struct{ folder, pattern string }{
		{"store", "^Benchmark(Decode|Write)$/^(" + strings.Join(names, "|") + ")$"}, {"encode", "^BenchmarkDecode$"},
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
	for _, s := range samples {
		file, err := os.ReadFile(s.file)
		if err != nil {
			return err
		}
		b.say("decoding the whole file: %s", s.name)
		all := b.decoders(s, file)
		measured, err := inTurns(b.rounds, all)
		if err != nil {
			return err
		}
		t.row(s.name, all[0].name, spreadOf(measured[0]))
		for i := 1; i < len(all); i++ {
			t.row(s.name, all[i].name, spreadOf(measured[i]), spreadOf(ratios(measured[0], measured[i])))
		}
	}
	return nil
}

// decoders tell millions of events per second. The first of them is Pando.
func (b *bench) decoders(s *sample, file []byte) []contender[float64] {
	all := []contender[float64]{{"whole file", func(int) (float64, error) { return decodeAgain(file) }}}
	if s.format == "OTF2" && b.peers.otf2read.missing == nil {
		all = append(all, contender[float64]{b.peers.otf2read.name, func(int) (float64, error) {
			u, err := b.readByLibrary(s)
			return float64(s.Events) / 1e6 / max(cpuSeconds(u), 1e-6), err
		}})
	}
	return all
}

// decodeAgain decodes a file again and again, and returns millions of events per second.
func decodeAgain(file []byte) (float64, error) {
	const least = 200 * time.Millisecond
	begin, n := time.Now(), 0
	for time.Since(begin) < least {
		events, err := decodeFile(file)
		if err != nil {
			return 0, err
		}
		n += events
	}
	return float64(n) / 1e6 / time.Since(begin).Seconds(), nil
}

// decodeFile returns the number of events.
func decodeFile(file []byte) (n int, err error) {
	r, err := store.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		return 0, err
	}
	for batch, err := range r.All().Batches() {
		if err != nil {
			return 0, err
		}
		n += batch.Len()
	}
	if uint64(n) != r.Info().Events {
		return 0, fmt.Errorf("%d events of %d", n, r.Info().Events)
	}
	return n, nil
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
