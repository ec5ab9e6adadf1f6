// Command runs measures how long comparing two runs takes, from opening their files, and how much memory: each case in a process of its own,
// several times in a row, of which the median counts.
//
//	go run ./bench/runs -traces ../shared/traces-unpacked -out bench/results/compare.md
//
// The folder has OTF2 archives: amg.8, lu.W.8, mg.W.64. What else is compared is generated.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/pandotrace/pando/store"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "runs:", err)
		os.Exit(1)
	}
}

// order is what the command line asks for.
type order struct {
	traces, work, out, one string
	rounds                 int
	only                   string
	cache                  *store.Cache // of a round
}

func run(ctx context.Context, args []string, out, log io.Writer) error {
	var o order
	flags := flag.NewFlagSet("runs", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.StringVar(&o.traces, "traces", "", "`folder` with OTF2 archives")
	flags.StringVar(&o.work, "work", filepath.Join(os.TempDir(), "pando-runs"), "`folder` for what is generated, kept for the next time")
	flags.StringVar(&o.out, "out", "", "write the report to `file`, too")
	flags.StringVar(&o.only, "only", "", "only cases whose name has this `text`")
	flags.IntVar(&o.rounds, "rounds", 5, "times that each case is measured")
	flags.StringVar(&o.one, "case", "", "measure this case in this process; for the command itself")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if o.one != "" {
		return measure(ctx, &o, out)
	}
	if err := os.MkdirAll(o.work, 0o755); err != nil {
		return err
	}
	report, err := all(ctx, &o, log)
	if err != nil {
		return err
	}
	if o.out != "" {
		err = os.WriteFile(o.out, []byte(report), 0o644)
	}
	_, printed := io.WriteString(out, report)
	return errors.Join(err, printed)
}

// outcome is what a case took.
type outcome struct {
	Seconds []float64 `json:"seconds"`
	Said    string    `json:"said"`
	kB      int64
	busy    time.Duration // processor time of all rounds
}

// measure measures a case in this process, and prints the outcome.
func measure(ctx context.Context, o *order, out io.Writer) error {
	c := caseNamed(o.one)
	if c == nil {
		return fmt.Errorf("there is no case %q", o.one)
	}
	var r outcome
	debug.SetMemoryLimit(heapBytes)
	debug.SetGCPercent(garbage)
	for range o.rounds {
		begin := time.Now()
		o.cache = store.NewCache(cacheBytes)
		said, err := c.do(ctx, o)
		if err != nil {
			return err
		}
		r.Seconds, r.Said = append(r.Seconds, time.Since(begin).Seconds()), said
	}
	return json.NewEncoder(out).Encode(r)
}

// all measures the cases, each in a process of its own.
func all(ctx context.Context, o *order, log io.Writer) (string, error) {
	var b strings.Builder
	machine, err := exec.CommandContext(ctx, "bench/machine").Output()
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&b, "# Comparing runs\n\n`go run ./bench/runs`\n\n```\n%s```\n\n%s\n\n", machine, preface)
	b.WriteString("| case | median | least and most | processor time | memory | goal | Weber 2016 | what came out |\n|---|---|---|---|---|---|---|---|\n")
	for i := range cases {
		c := &cases[i]
		if !strings.Contains(c.name, o.only) {
			continue
		}
		if err := c.prepare(ctx, o, log); err != nil {
			return "", fmt.Errorf("%s: %w", c.name, err)
		}
		r, err := child(ctx, o, c)
		if err != nil {
			return "", fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(log, "%s: %.3f s\n", c.name, middle(r.Seconds))
		fmt.Fprintf(&b, "| %s | %s | %s to %s | %s | %d MB | %s | %s | %s |\n", c.name, seconds(middle(r.Seconds)), seconds(slices.Min(r.Seconds)),
			seconds(slices.Max(r.Seconds)), seconds(r.busy.Seconds()/float64(o.rounds)), r.kB/1000, c.goal, cmp.Or(c.weber, "-"), r.Said)
	}
	return b.String(), nil
}

const preface = `Seconds from opening the files to the answer, on two cores. Processor time is that of both cores, in the mean of all rounds: it says more where the machine has other work.
Memory is the most that the process had resident, in all rounds of a case, with the heap bounded as the program does for 256 MiB, and garbage of three times what is in use. *Cost* is that of the alignment: 4 for each call that one side lacks, 6 for one of another region; an interval where it is not proven to be the least. Weber's figures (T3.8 to T3.14) are
of one core of a Xeon E5-2680 v3, without loading.`

// child measures a case in a new process.
func child(ctx context.Context, o *order, c *comparing) (*outcome, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, "-case", c.name, "-traces", o.traces, "-work", o.work, "-rounds", fmt.Sprint(o.rounds))
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	r := &outcome{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, err
	}
	r.busy = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		r.kB = usage.Maxrss
	}
	return r, nil
}

func middle(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

func seconds(s float64) string {
	if s < 1 {
		return fmt.Sprintf("%.1f ms", 1000*s)
	}
	return fmt.Sprintf("%.2f s", s)
}
