// Package topics has what the program says of itself, without a trace: the help texts that belong to no verb, and the verb schema.
package topics

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert/columnar"
)

const exitCodes = `Exit codes:

    0  all went well
    1  the file or its content is bad: damaged, not of a known format, incomplete
    2  wrong usage
    3  reading or writing failed: not found, no permission, disk full, output exists
  4  done in part: a file was recovered, but not all of it (pando recover); of the processes that
     record some were asked, and others cannot be (pando record ctl)
  129  the terminal was closed (SIGHUP; not under nohup)
  130  interrupted (SIGINT)
  143  terminated (SIGTERM)

1 is also what is found: verify ends with it if the file is damaged, diff if the traces differ,
check if there are errors, compare if a limit of --fail-if is exceeded, info --follow if nobody
writes the file any more. record ends with the code of the program, or with 1 if that recorded
nothing. A second signal ends the program at once.

Errors are one line on standard error, with the file, the section of it and the offset in
bytes where that is known. Below one about usage stands where there is help, and below one about a
condition or a rule the place in it. Data goes to standard output and nowhere else.

An output OUT is written as OUT.part, by one process at a time: a second one ends with 3 and
names the first. (Of an archive OUT.otf2 it is the folder OUT.part; tables each have theirs.)
An error or one of the signals above leaves no half-written output. If a writer is killed in
another way, OUT.part stays: pando recover saves what is in a Pando file's, and --discard of the
verb that writes OUT removes it. --force overwrites a finished OUT, and never OUT.part. If only
the name OUT cannot be given at the end, OUT.part stays too, and is complete.`

const timesHelp = `Times are counted from the first event of the trace:

  1.5s  20ms  3us  250ns  2min  1h    a time
  40%                                 a part of the trace's duration
  12345                               ticks, the trace's own unit (pando info tells it)
  +5ms                                for the end of a window: so much after its begin

A window [from, to) has its begin in it, and not its end. It holds a call or message if they
overlap it, an event if it lies in it. A call that is left just when the window begins is not in
it; one that was never left is, up to the last event of the trace. Without a begin the window
starts with the trace, without an end it ends with it. A window that begins behind the trace's end is
refused.`

const outputsHelp = `A hyphen, -, is standard input where a verb reads a file, and standard output where it writes one.
Any other name of an output is the name of a file or folder, and its ending chooses the format:

%s
A part of these may go with some flags only: the help of the verb tells. export writes trace events
without --tables. record writes NAME.pando, and topologies --inferred NAME.pando or NAME.otf2.

What has another ending is refused with the verb that writes such files. --format NAME says what
is written where the name does not tell it: to standard output, to a folder of tables, or to
a file without one of these endings. --json is short for --format json; of verbs that write files
(convert, concat, merge, recover, export) it prints as JSON what was written.

A file that is there already is refused, and --force overwrites it. Until it is complete it is
called OUT.part (help exit-codes). --quiet prints nothing but errors. What is binary is not written
to a terminal.

Of standard input, these can be read: a Pando file, a CLOG-2, SLOG-2 or Chrome trace, and a tar, tar.gz or
tar.zst archive of a trace of any format. Traces are read at any place, so that all that comes is kept
in a file in the temporary folder (TMPDIR), or unpacked into it, until the verb is done: there must be
room for it. Of an archive of several files, such as an OTF2 archive, the main file alone is refused.
To standard output go answers, pictures, one table, a Pando file, and trace events.

Text for people has colours on a terminal only, and none if NO_COLOR is set or TERM is dumb. Timelines are
as wide as the terminal, and 80 characters in a pipe.`

// outputList lists the endings that choose a format, by verb. Verbs that write the same stand together.
func outputList(root *cobra.Command) string {
	var formats []string
	verbs := map[string][]string{} // by their formats
	for _, c := range root.Commands() {
		lines := formatLines(verb.FormatsOf(c))
		if lines == "" {
			continue
		}
		if verbs[lines] == nil {
			formats = append(formats, lines)
		}
		verbs[lines] = append(verbs[lines], c.Name())
	}
	var b strings.Builder
	for _, lines := range formats {
		fmt.Fprintf(&b, "  %s\n%s", strings.Join(verbs[lines], ", "), lines)
	}
	return b.String()
}

// formatLines lists formats with the endings that choose them.
func formatLines(formats []outputs.Format) string {
	var b strings.Builder
	for _, f := range formats {
		fmt.Fprintf(&b, "    %-21s --format %s\n", strings.Join(f.Endings, " "), f.Name)
	}
	return b.String()
}

const selectingHelp = `Locations, regions and kinds of events are selected by

  MPI_Send             their name
  'MPI_*' 'MPI_?send'  a pattern: * stands for anything, ? for one character
  17                   their id, as pando info shows it
  'rank 0-3'           a place: also 'rank 0,5,7', every fourth as 'rank 0-63:4',
                       'rank 1 thread 0', 'thread 0', 'gpu 1 stream 7'
  @mpi                 a class: a family, @mpi/collective a role in it, @/barrier a role
  @group:2             a group of locations that are alike, by pairs; @group:tree:2 by trees
                       (pando cluster lists them)
  '!@mpi'              all but these: takes away what fits
  '\!$omp*' '\@x'      names that begin with !, @ or \

A flag may be given several times. Selectors count in their order: each adds what fits it, or
with ! takes it away, so that the last one that fits a thing decides. If the first one has a !,
all are selected to begin with:

  -R @mpi -R '!@mpi/barrier'    MPI without its barriers
  -L '!rank 0'                  all ranks but the first

Classes of regions are activities (@computation @mpi @pgas @openmp @threads @io @gpu
@measurement), OTF2's paradigms (@user @compiler @cuda @pthread ...) and roles (@/p2p
@/collective @/one2all @/all2one @/all2all @/barrier @/rma @/loop @/parallel @/critical @/task
@/sync @/memory @/transfer @/function ...). Where a trace does not say what a region is, its name
does: MPI_Bcast is @mpi/one2all. Classes of locations are @cpu, @gpu and @metric, those of kinds
@call @message @collective @rma @mpi @openmp @threads @io @metric @parameter @sample @span.
docs/selecting.md lists them all.

What nothing in the file fits is an error, which names what is like it; only a class that is taken away may be missing.`

// New returns the topics of a program that has all its verbs.
func New(root *cobra.Command) []*cobra.Command {
	return []*cobra.Command{
		{Use: "exit-codes", Aliases: []string{"exit"}, Short: "What the exit codes mean", Long: exitCodes},
		listing("outputs", "How the names of outputs choose what is written", func() string { return fmt.Sprintf(outputsHelp, outputList(root)) }),
		{Use: "times", Short: "How to write times and windows", Long: timesHelp},
		{Use: "selecting", Short: "How to name locations, regions and kinds", Long: selectingHelp},
		listing("tables", "The tables that can be exported", tableList),
	}
}

// listing returns a topic with a list that takes time, and that only the help shows.
func listing(name, short string, list func() string) *cobra.Command {
	topic := &cobra.Command{Use: name, Short: short}
	topic.SetHelpFunc(func(c *cobra.Command, args []string) {
		c.Long = list()
		c.Parent().HelpFunc()(c, args)
	})
	return topic
}

// tableList returns a list of the tables of an export, with a sentence about each.
func tableList() string {
	var b strings.Builder
	for _, t := range columnar.Tables() {
		first, _, _ := strings.Cut(t.Doc, ". ")
		fmt.Fprintf(&b, "%-29s %s.\n", t.Name, strings.TrimSuffix(first, "."))
	}
	b.WriteString("\nThe columns, with their units and meanings, are told in docs/tables.md.")
	return b.String()
}
