package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/launch"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/edit"
	"github.com/pandotrace/pando/internal/report/recorders"
)

// recordVerb runs a program that records itself, and converts what it recorded.
type recordVerb struct {
	writing
	program launch.Program
	keep    bool
}

func newRecord() *cobra.Command {
	v := &recordVerb{}
	cmd := &cobra.Command{
		Use:   "record -o OUT -- COMMAND [ARG ...]",
		Short: "Run a program that records itself, and convert the recordings",
		Long: `Run a program and make a trace of what it records: with pando_record.h, or the calls of MPI that a library records in programs that
are not changed (make mpi builds it). The recordings are in a folder beside OUT until they are converted.

The library is that of --mpi or of the variable PANDO_MPI, or libpando-mpi.so beside pando or in ../lib. So is the tool that LLVM's
OpenMP runtime loads: that of --openmp or PANDO_OPENMP, or libpando-ompt.so.

The exit code is that of the program, or 1 if that recorded nothing. Signals are passed on to it, and what it
had recorded is converted when it was killed, too.`,
		Example: `  pando record -o run.pando -- mpirun -n 4 ./a.out
  pando record --budget 16M --last 10s -o end.pando -- ./server
  pando record --phases step=every:100 -o run.pando -- ./a.out
  pando record --reduce 'class:std::*; get?' -o run.pando -- ./a.out`,
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
	f.StringVar(&v.program.Budget, "budget", "64M", "let each process take `SIZE`; the shortest calls are given up if it is full, or those of --reduce")
	f.StringVar(&v.program.Reduce, "reduce", "", "give up first calls by `WHAT`: duration, level (the deepest), occurrence (the latest of each region), or 'class:std::*; paradigm:mpi' (of these regions)")
	f.StringVar(&v.program.Last, "last", "", "keep what is newest, and at most this `TIME` of it")
	f.StringVar(&v.program.Phases, "phases", "", "record some calls of regions with all inside, to stand for the others: `REGION=every:N`; REGION=every:N ...")
	f.StringVar(&v.program.Filter, "filter", "", "record regions by `RULES` for their names: '!std::*; !get?' leaves some out, 'MPI_*; solve' all others; or by a filter file of Score-P")
	f.StringVar(&v.program.Counters, "counters", "", "count `NAMES` of each thread between enters and leaves: 'instructions,page-faults'")
	f.StringVar(&v.program.Library, "mpi", os.Getenv("PANDO_MPI"), "preload the `LIBRARY` that records MPI")
	f.StringVar(&v.program.OpenMP, "openmp", os.Getenv("PANDO_OPENMP"), "let LLVM's OpenMP runtime load the `LIBRARY` that records it")
	f.BoolVar(&v.keep, "keep", false, "keep the recordings")
	verb.CompleteFixed(cmd, "reduce", []string{"duration", "level", "occurrence", "class:"})
	for _, flag := range []string{"budget", "last", "filter", "phases", "counters"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
	cmd.AddCommand(newControl())
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
	v.program.Folder = dir
	environment, err := v.program.Environment()
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	c := exec.Command(args[0], args[1:]...)
	c.Stdin, c.Stdout, c.Stderr, c.Env = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr(), environment
	ended := launch.Run(c)
	if recordings, _ := filepath.Glob(filepath.Join(dir, "*.pandorec")); len(recordings) == 0 {
		return cmp.Or(errors.Join(ended, os.Remove(dir)), fmt.Errorf("%s recorded nothing: it neither calls pando_start, nor MPI_Init with the library preloaded, nor is it one of OpenMP with the tool loaded", args[0]))
	}
	if err := v.make(cmd.OutOrStdout(), []string{dir}, v.output, v.part); err != nil {
		return fmt.Errorf("the recordings are in %s: %w", dir, errors.Join(err, ended))
	}
	if !v.keep {
		err = os.RemoveAll(dir)
	}
	return errors.Join(ended, err)
}

// part tells what was given up, and returns the trace or its end.
func (v *recordVerb) part(ctx context.Context, found []*convert.Trace) (*convert.Trace, error) {
	t := found[0]
	if err := v.tell(ctx, t); err != nil || v.program.Last == "" {
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
	length, wrong := axis.ParseDuration(v.program.Last)
	if err = errors.Join(err, wrong); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t.Cut(edit.Selection{From: max(begin, end-length), To: end}), nil
}

// tell says what recording cost, and what there was no memory for.
func (v *recordVerb) tell(ctx context.Context, t *convert.Trace) error {
	src, err := t.Open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	recordings, _ := filepath.Glob(filepath.Join(v.program.Folder, "*.pandorec"))
	if v.recorded, err = launch.Cost(recordings, v.program.Counters); err != nil {
		return err
	}
	v.recorded.GivenUp = recorders.GivenUp(src.Meta())
	for _, what := range v.recorded.GivenUp {
		if !v.Quiet {
			io.WriteString(v.errors, "pando: "+what+"\n")
		}
	}
	return nil
}
