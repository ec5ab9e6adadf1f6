package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/edit"
)

// recordVerb runs a program that records itself, and converts what it recorded.
type recordVerb struct {
	writing
	budget, last, library string
	keep                  bool
}

func newRecord() *cobra.Command {
	v := &recordVerb{}
	cmd := &cobra.Command{
		Use:   "record -o OUT -- COMMAND [ARG ...]",
		Short: "Run a program that records itself, and convert the recordings",
		Long: `Run a program and make a trace of what it records: with pando_record.h, or the calls of MPI that a library records in programs that
are not changed (make mpi builds it). The recordings are in a folder beside OUT until they are converted.

The library is that of --mpi or of the variable PANDO_MPI, or libpando-mpi.so beside pando or in ../lib.

The exit code is that of the program. Signals are passed on to it, and what it had recorded is converted when it was killed, too.`,
		Example: `  pando record -o run.pando -- mpirun -n 4 ./a.out
  pando record --budget 16M --last 10s -o end.pando -- ./server`,
		Args: atLeast("COMMAND"),
		RunE: func(cmd *cobra.Command, args []string) error {
			v.by, v.errors = converter(cmd, false), cmd.ErrOrStderr()
			return v.run(cmd, args)
		},
	}
	f := cmd.Flags()
	f.SetInterspersed(false)
	verb.AddOutput(cmd, &v.output, "write to `OUT`")
	v.AddReplacing(cmd, "OUT")
	v.AddOutcome(cmd)
	f.StringVar(&v.budget, "budget", "64M", "let each process take `SIZE`; the shortest calls are given up if it is full")
	f.StringVar(&v.last, "last", "", "keep what is newest, and at most this `TIME` of it")
	f.StringVar(&v.library, "mpi", os.Getenv("PANDO_MPI"), "preload the `LIBRARY` that records MPI")
	f.BoolVar(&v.keep, "keep", false, "keep the recordings")
	for _, flag := range []string{"budget", "last"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
	return cmd
}

func (v *recordVerb) run(cmd *cobra.Command, args []string) error {
	if v.output == "" || v.output == "-" {
		return verb.Usagef("-o OUT is needed")
	}
	if err := v.check(cmd.OutOrStdout(), v.output); err != nil {
		return err
	}
	dir, err := filepath.Abs(strings.TrimSuffix(v.output, filepath.Ext(v.output)) + ".d")
	if err != nil {
		return err
	}
	environment, err := v.environment(dir)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	c := exec.Command(args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr, c.Env = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), environment
	ended := passSignals(c)
	if recordings, _ := filepath.Glob(filepath.Join(dir, "*.pandorec")); len(recordings) == 0 {
		return cmp.Or(errors.Join(ended, os.Remove(dir)), fmt.Errorf("%s recorded nothing: it neither calls pando_start nor MPI_Init with the library preloaded", args[0]))
	}
	if err := v.make(cmd.OutOrStdout(), []string{dir}, v.output, v.part); err != nil {
		return fmt.Errorf("the recordings are in %s: %w", dir, errors.Join(err, ended))
	}
	if !v.keep {
		err = os.RemoveAll(dir)
	}
	return errors.Join(ended, err)
}

// environment returns the variables by which the program and the library know what to do.
func (v *recordVerb) environment(dir string) ([]string, error) {
	mode := "keep"
	if v.last != "" {
		mode = "last"
		if d, err := time.ParseDuration(v.last); err != nil || d <= 0 {
			return nil, verb.Usagef("--last %s is no time, as 10s is", v.last)
		}
	}
	list := append(os.Environ(), "PANDO_DIR="+dir, "PANDO_BUDGET="+v.budget, "PANDO_MODE="+mode, "PANDO_RUN="+strconv.FormatInt(time.Now().UnixNano(), 10))
	if library := v.found(); library != "" {
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
func (v *recordVerb) found() string {
	self, err := os.Executable()
	if v.library != "" || err != nil {
		return v.library
	}
	for _, folder := range []string{"", "../lib"} {
		path := filepath.Join(filepath.Dir(self), folder, "libpando-mpi.so")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// passSignals runs a program and passes on the signals that come meanwhile. Those of the terminal's keys reach the program without us, so they are not
// passed on when we are in its foreground.
func passSignals(c *exec.Cmd) error {
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

// part tells what was given up, and returns the trace or its end.
func (v *recordVerb) part(ctx context.Context, found []*convert.Trace) (*convert.Trace, error) {
	t := found[0]
	if err := v.tell(ctx, t); err != nil || v.last == "" {
		return t, err
	}
	t, err := v.index(ctx, t)
	if err != nil {
		return nil, err
	}
	f, err := verb.Open(t.Path)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	defer f.Close()
	axis := f.TimeAxis()
	begin, end, err := axis.ParseWindow("", "")
	length, wrong := axis.ParseDuration(v.last)
	if err = errors.Join(err, wrong); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t.Cut(edit.Selection{From: max(begin, end-length), To: end}), nil
}

// tell says what there was no memory for.
func (v *recordVerb) tell(ctx context.Context, t *convert.Trace) error {
	src, err := t.Open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	for _, p := range src.Meta().Properties {
		if name, ok := strings.CutPrefix(p.Name, "recording."); ok && name != "program" && !v.Quiet {
			io.WriteString(v.errors, "pando: the budget was used up; "+name+": "+p.Value+"\n")
		}
	}
	return nil
}
