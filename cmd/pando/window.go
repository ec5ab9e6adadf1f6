package main

import (
	"bufio"
	"fmt"
	"io"
	"iter"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// windowVerb shows what is in a window of time.
type windowVerb struct {
	selection
	calls, messages, events, metrics, json bool
	limit                                  int
}

func newWindow() *cobra.Command {
	v := &windowVerb{}
	cmd := &cobra.Command{
		Use:   "window FILE",
		Short: "Show the calls, messages and events of a window of time",
		Long: `Show what is in a window of time: calls and messages if nothing else is asked for. Calls and
messages that reach into the window are shown whole. --region and --min-duration select calls,
--kind selects events.`,
		Example: `  pando window run.pando --from 40% --to +5ms
  pando window run.pando --calls --region 'MPI_*' --min-duration 1ms --limit 20
  pando window run.pando --from 1.5s --to 1.6s --location 'MPI Rank 3' --events`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	v.addWindow(cmd)
	cmd.Flags().BoolVar(&v.calls, "calls", false, "show calls")
	cmd.Flags().BoolVar(&v.messages, "messages", false, "show messages")
	cmd.Flags().BoolVar(&v.events, "events", false, "show events")
	cmd.Flags().BoolVar(&v.metrics, "metrics", false, "show metric events")
	v.addLocations(cmd)
	v.addRegions(cmd)
	v.addKinds(cmd)
	cmd.Flags().StringVar(&v.minDuration, "min-duration", "", "only calls that last at least `TIME`")
	cmd.Flags().IntVar(&v.limit, "limit", 0, "show at most `N` of each")
	addJSON(cmd, &v.json, "print JSON, one object a line")
	return cmd
}

// choose decides what is shown: what was asked for, or what the filters are about.
func (v *windowVerb) choose() error {
	ofCalls, ofEvents := len(v.regions) > 0 || v.minDuration != "", len(v.kinds) > 0
	if !v.calls && !v.messages && !v.events && !v.metrics {
		v.events = ofEvents
		v.calls = ofCalls || !ofEvents
		v.messages = !ofCalls && !ofEvents
	}
	switch {
	case ofCalls && !v.calls:
		return usagef("--region and --min-duration select calls, which are not shown: add --calls")
	case ofEvents && !v.events:
		return usagef("--kind selects events, which are not shown: add --events")
	case v.limit < 0:
		return usagef("--limit %d is negative", v.limit)
	case v.limit == 0:
		v.limit = noLimit
	}
	return nil
}

func (v *windowVerb) run(out io.Writer, path string) error {
	if err := v.choose(); err != nil {
		return err
	}
	f, window, err := v.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return buffered(out, func(w *bufio.Writer) error {
		from, to := window.Bounds()
		s := sections{w: w, file: f, json: v.json, limit: v.limit, several: v.several(), from: from, bar: printProgress(to - from)}
		defer s.bar.done()
		return v.sections(&s, window)
	})
}

// several reports whether more than one kind of thing is shown.
func (v *windowVerb) several() bool {
	n := 0
	for _, shown := range []bool{v.calls, v.messages, v.events, v.metrics} {
		if shown {
			n++
		}
	}
	return n > 1
}

func (v *windowVerb) sections(s *sections, window *store.Window) error {
	for _, section := range []struct {
		shown bool
		print func(*store.Window) error
	}{
		{v.calls, s.calls},
		{v.messages, s.messages},
		{v.events, s.events},
		{v.metrics, s.metrics},
	} {
		if !section.shown {
			continue
		}
		if err := section.print(window); err != nil {
			return err
		}
	}
	return nil
}

// sections prints the calls, messages and events of a window.
type sections struct {
	w       *bufio.Writer
	file    *opened
	json    bool
	limit   int
	several bool // each gets a heading
	started bool
	from    int64 // begin of the window
	bar     *progress
}

// head begins a section of text.
func (s *sections) head(what string) {
	if s.json {
		return
	}
	if s.started {
		fmt.Fprintln(s.w)
	}
	s.started = true
	if s.several {
		fmt.Fprintln(s.w, what)
	}
}

// foot ends a section of text: what was left out, or that there was nothing.
func (s *sections) foot(n int, more bool, what string) {
	switch {
	case s.json:
	case more:
		fmt.Fprintf(s.w, "… more %s follow (--limit %d)\n", what, s.limit)
	case n == 0:
		fmt.Fprintf(s.w, "no %s\n", what)
	}
}

func (s *sections) calls(window *store.Window) error {
	p := newCallPrinter(s.file, s.json)
	start := func(c *trace.Call) int64 { return c.Start }
	return printAll(s, "calls", p.header(), window.Calls(), start, p.append)
}

func (s *sections) messages(window *store.Window) error {
	p := newMessagePrinter(s.file, s.json)
	start := func(m *trace.Message) int64 { return min(m.SendTime, m.ReceiveTime) }
	return printAll(s, "messages", p.header(), window.Messages(), start, p.append)
}

// often is how many things are done between two looks at the clock.
const often = 1 << 14

// printAll prints what a window holds, within the limit, below a line with the names of columns. start says when one
// begins, line appends its line.
func printAll[T any](s *sections, what, columns string, all iter.Seq2[T, error], start func(*T) int64, line func([]byte, *T) []byte) error {
	s.head(what)
	n, more := 0, false
	var buf []byte
	for x, err := range all {
		if err != nil {
			return err
		}
		if more = n == s.limit; more {
			break
		}
		if n++; n == 1 && !s.json && columns != "" {
			fmt.Fprintln(s.w, columns)
		}
		if n%often == 0 {
			s.bar.set(start(&x) - s.from)
		}
		buf = line(buf[:0], &x)
		if _, err := s.w.Write(buf); err != nil {
			return err
		}
	}
	s.foot(n, more, what)
	return nil
}

func (s *sections) events(window *store.Window) error {
	return s.eventLines("events", window)
}

func (s *sections) metrics(window *store.Window) error {
	return s.eventLines("metric events", window.WithKinds(trace.KindMetric))
}

func (s *sections) eventLines(what string, window *store.Window) error {
	s.head(what)
	l := newLines(s.file, s.json)
	n, more, err := l.events(s.w, window, s.limit, func(t int64) { s.bar.set(t - s.from) })
	if err == nil {
		s.foot(n, more, what)
	}
	return err
}
