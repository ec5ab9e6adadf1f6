package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert/columnar"
)

const exitCodes = `Exit codes:

    0  all went well
    1  the file or its content is bad: damaged, not of a known format, incomplete
    2  wrong usage
    3  reading or writing failed: not found, no permission, disk full, output exists
  4  a file was recovered, but not all of it (pando recover)
  129  the terminal was closed (SIGHUP; not under nohup)
  130  interrupted (SIGINT)
  143  terminated (SIGTERM)

Errors are one line on standard error, with the file, the section of it and the offset in
bytes where that is known. Data goes to standard output and nowhere else.

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
starts with the trace, without an end it ends with it. --until is another name for --to.`

const selectingHelp = `Locations, regions and kinds of events are selected by

  MPI_Send             their name
  MPI_*  'MPI_?send'   a pattern: * stands for anything, ? for one character
  17                   their number (locations and regions), as pando info shows it

A flag may be given several times; what any of them names is selected. What nothing in the
file fits is an error.`

// topics are help texts that belong to no verb.
func topics() []*cobra.Command {
	tables := &cobra.Command{Use: "tables", Short: "The tables that can be exported"}
	tables.SetHelpFunc(func(c *cobra.Command, args []string) { // the list takes time, and only the help shows it
		c.Long = tableList()
		c.Parent().HelpFunc()(c, args)
	})
	return []*cobra.Command{
		{Use: "exit-codes", Short: "What the exit codes mean", Long: exitCodes},
		{Use: "times", Short: "How to write times and windows", Long: timesHelp},
		{Use: "selecting", Short: "How to name locations, regions and kinds", Long: selectingHelp},
		tables,
	}
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
