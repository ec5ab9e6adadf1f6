// Command figures measures the recorders: what an Enter or a Leave costs beside OTF2's own writer and runtime/trace in the same run, how long reductions take, and how much of the time of real programs stays
// attributed to calls when the budget is small.
//
//	go run ./bench/recording/figures -traces ../shared/traces-unpacked
//
// It needs gcc and OTF2's library (Debian: libopen-trace-format2-dev).
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// order is what the command line asks for.
type order struct {
	batches int
	calls   int // of the measurement of stalls
	traces  string
	work    string
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	var o order
	flags := flag.NewFlagSet("figures", flag.ContinueOnError)
	flags.IntVar(&o.batches, "batches", 1000, "batches of 16,800 events of each recorder")
	flags.IntVar(&o.calls, "calls", 60_000_000, "calls of the measurement of stalls; 0 for none")
	flags.StringVar(&o.traces, "traces", "", "`folder` with OTF2 archives, whose calls are replayed; none without it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	// Memory of its own: a disk would add its time to that of first touches.
	if o.work, err = os.MkdirTemp("/dev/shm", "pando-figures"); err != nil {
		return err
	}
	defer os.RemoveAll(o.work)
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Fprintf(out, "Load before: %s\n", strings.TrimSpace(string(load)))
	if err := costs(ctx, &o, out); err != nil {
		return err
	}
	if o.calls > 0 {
		if err := stalls(ctx, &o, out); err != nil {
			return err
		}
	}
	if o.traces != "" {
		return replays(ctx, &o, out)
	}
	return nil
}

// built compiles a program of the folder above.
func (o *order) built(ctx context.Context, name string, libraries ...string) (string, error) {
	program := filepath.Join(o.work, name)
	source := filepath.Join("bench", "recording", name+".c")
	text, err := exec.CommandContext(ctx, "gcc", append([]string{"-O2", "-std=c99", "-D_GNU_SOURCE", "-Irecorder", "-o", program, source, "-pthread"}, libraries...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("gcc %s: %w\n%s", source, err, text)
	}
	return program, nil
}

// recorded runs a program that records into a folder that is new.
func (o *order) recorded(ctx context.Context, variables []string, program string, args ...string) (string, error) {
	dir, err := os.MkdirTemp(o.work, "run")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	return o.start(ctx, dir, append(variables, "PANDO_DIR="+filepath.Join(dir, "run.d")), program, args...)
}

// start runs a program in a folder and returns what it prints.
func (o *order) start(ctx context.Context, dir string, variables []string, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(append(os.Environ(), "PANDO_PREFAULT=1"), variables...)
	text, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w", filepath.Base(program), strings.Join(args, " "), err)
	}
	return string(text), err
}
