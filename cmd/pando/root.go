package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/pandotrace/pando/cmd/pando/internal/analyses"
	"github.com/pandotrace/pando/cmd/pando/internal/timeline"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pandotrace/pando/cmd/pando/internal/hints"
	"github.com/pandotrace/pando/cmd/pando/internal/topics"
)

// run executes a command line and returns the exit code. An error is one line on stderr.
func run(args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteC()
	if err == nil {
		return exitOK
	}
	code := exitCode(err)
	if code > exitSignal && errors.Is(err, context.Canceled) {
		err = errors.New(interruption(code))
	}
	fmt.Fprintln(stderr, "pando:", verb.OneLine(advised(err)))
	if code == exitUsage {
		fmt.Fprintf(stderr, "Try '%s --help'.\n", cmd.CommandPath())
	}
	return code
}

// interruption returns the cause of the end of the program, for an exit code after a signal.
func interruption(code int) string {
	switch syscall.Signal(code - exitSignal) {
	case syscall.SIGHUP:
		return "the terminal was closed"
	case syscall.SIGTERM:
		return "terminated"
	}
	return "interrupted"
}

const about = `Pando stores event traces of parallel programs in one file each: small, checked by
checksums, and with an index over time, so that any window of it is read without the rest.

  pando convert trace.otf2 run.pando         make a Pando file of an OTF2 archive
  pando convert run.pando back/trace.otf2    and the archive of that again
  pando info run.pando                       what is in it
  pando window run.pando --from 40% --to +5ms
  pando view run.pando                       and in a browser
  pando timeline run.pando -o run.png
  pando export run.pando --format parquet -o tables`

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:               "pando",
		Short:             "Event traces of parallel programs, in one file each",
		Long:              about,
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.ArbitraryArgs,
		RunE:              noVerb,
		DisableAutoGenTag: true,
	}
	root.SetFlagErrorFunc(flagError)
	root.Flags().BoolP("version", "V", false, "print the version of the program and of the file format")
	root.AddCommand(newConvert(), newConcat(), newMerge(), newRecord(), newInfo(), newWindow(), newSummary(), timeline.New(), newFind(), newStack(), newCat(), newExport(), newServe(), newView(), newDiff(), analyses.NewCheck(version()), analyses.NewCompare(), analyses.NewCluster(), analyses.NewTree(), analyses.NewFold(), analyses.NewHotspots(), analyses.NewPatterns(), analyses.NewAnnotations(), analyses.NewTopologies(version()), analyses.NewShapes(), analyses.NewQuery(), topics.NewSchema(),
		newVerify(), newRecover(), newFormats(), newVersion())
	root.AddCommand(topics.New(root)...)
	root.SetHelpCommand(newHelp())
	root.InitDefaultCompletionCmd()
	refuseOtherShells(root)
	return root
}

// refuseOtherShells makes an unknown shell an error of completion, which shows its help else.
func refuseOtherShells(root *cobra.Command) {
	completion, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	completion.Args = cobra.ArbitraryArgs
	completion.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return verb.Usagef("no completion for the shell %q%s", args[0], verb.DidYouMean(args[0], verbsOf(cmd)))
	}
}

// noVerb shows the help, or refuses an unknown verb.
func noVerb(cmd *cobra.Command, args []string) error {
	if wanted, _ := cmd.Flags().GetBool("version"); wanted {
		return printVersion(cmd.OutOrStdout())
	}
	if len(args) == 0 {
		return cmd.Help()
	}
	hint := ""
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = fmt.Sprintf(" (did you mean %s?)", strings.Join(near, " or "))
	}
	return verb.Usagef("unknown verb %q%s", args[0], hint)
}

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [VERB or TOPIC]",
		Short: "Help on a verb or topic",
		RunE: func(help *cobra.Command, args []string) error {
			cmd, rest, err := help.Root().Find(args)
			if err != nil || len(rest) > 0 {
				wanted := strings.Join(args, " ")
				return verb.Usagef("no help on %q%s", wanted, verb.DidYouMean(wanted, verbsOf(help.Root())))
			}
			cmd.InitDefaultHelpFlag()
			return cmd.Help()
		},
		ValidArgsFunction: func(help *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return verb.Beginning(verbsOf(help.Root()), begun), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// verbsOf lists the verbs and topics of the program.
func verbsOf(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// inAndOut checks that there is an input, and an output as the second argument or by the flag --output.
func inAndOut(output *string, without ...*bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if *output != "" || len(args) < 2 && slices.ContainsFunc(without, func(flag *bool) bool { return *flag }) {
			return verb.Arguments("IN")(cmd, args)
		}
		return verb.Arguments("IN", "OUT")(cmd, args)
	}
}

// outOf returns the output of a verb that takes it as an argument or by the flag --output.
func outOf(output string, args []string) string {
	if output != "" || len(args) < 2 {
		return output
	}
	return args[1]
}

// flagError adds to an error about flags what may have been meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if value, ok := errors.AsType[*pflag.InvalidValueError](err); ok && errors.As(err, new(*strconv.NumError)) {
		return verb.Usagef("--%s %s: a number is expected", value.GetFlag().Name, value.GetValue())
	}
	if !errors.As(err, &unknown) {
		return verb.Usage(err)
	}
	return verb.Usagef("%w%s", err, hints.Meant(cmd, unknown.GetSpecifiedName()))
}
