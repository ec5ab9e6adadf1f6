package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/store"
)

// recoverVerb makes a sound file of a damaged one.
type recoverVerb struct{ force, discard, json bool }

func newRecover() *cobra.Command {
	var v recoverVerb
	cmd := &cobra.Command{
		Use:   "recover IN OUT",
		Short: "Make a sound file of a damaged one, or of one that was never finished",
		Long: `Make a sound file OUT of what is intact in IN: a Pando file that is damaged or torn off, or the
OUT.part that a writer left which was killed. Blocks are found by their frames, not by the
directory; the events of all slices that can be decoded are written again, with a new directory,
new spanning calls and messages, summaries, bins and postings; in slices, lanes, nodes and epochs
of the size that they have in IN, as far as that can be told. Calls and messages are those of the
events that are left. After a gap, ends of messages have no partner until a pair is certain.

IN is not changed, and stays. If IN is OUT.part, OUT.saved.part is written until OUT is complete; an
OUT.part that is still being written is refused. Into another OUT, what such an IN holds by now can be
saved, and the outcome names the process that is writing it.

Events of a location whose id is lost are saved under one that is made up (2^48 and more), with a
definition that says so. What was lost is told by location and time: the lost events lie between the location's last event
before and the first one after them. The exit code is 0 if nothing was lost, 4 if anything was, or
may have been: of a file without its end nobody knows what would have come.`,
		Example: `  pando recover run.pando.part run.pando
  pando recover damaged.pando saved.pando --json`,
		Args: arguments("IN", "OUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.run(cmd.OutOrStdout(), args[0], args[1])
		},
	}
	cmd.Flags().BoolVar(&v.force, "force", false, "overwrite OUT")
	addDiscard(cmd, &v.discard, "OUT")
	addJSON(cmd, &v.json, "print the outcome as JSON")
	return cmd
}

// lossError says that a file was made, but not of everything.
type lossError struct{ error }

// recovery is the outcome of a recovery.
type recovery struct {
	Input           string    `json:"input"`
	Output          string    `json:"output"`
	Lossless        bool      `json:"lossless"`
	Torn            bool      `json:"torn"`
	WrittenBy       *string   `json:"written_by"` // the process that is still writing the input, null if none is
	NoMeta          bool      `json:"meta_lost"`
	Blocks          int64     `json:"blocks"`
	LostBytes       int64     `json:"lost_bytes"`
	Events          uint64    `json:"events"`
	Definitions     uint64    `json:"definitions"`
	LostEvents      uint64    `json:"lost_events"`
	LostDefinitions uint64    `json:"lost_definitions"`
	LostAuxiliary   uint64    `json:"lost_auxiliary"`
	LostIDs         []lostID  `json:"lost_ids"`
	Losses          []loss    `json:"losses"`
	Problems        []problem `json:"problems"`
}

// lostID is a location that was saved under an id that is made up; Index is its place among the locations of the input.
type lostID struct {
	Location uint64 `json:"location"`
	Index    uint32 `json:"index"`
}

// loss is events of one location that are lost; From and To are null where there is no event before or after them.
type loss struct {
	Location uint64  `json:"location"`
	Name     string  `json:"name"`
	From     *string `json:"from"`
	To       *string `json:"to"`
	Events   uint64  `json:"events"`
}

func (v *recoverVerb) run(out io.Writer, from, to string) error {
	if err := checkOutput(to, v.force); err != nil {
		return err
	}
	ctx, stop := interruptible()
	defer stop()
	writer, writing := claim.Writer(from)
	report, err := v.recover(ctx, from, to)
	if err != nil {
		return err
	}
	r, err := newRecovery(from, to, report)
	if err != nil {
		return err
	}
	if writing {
		r.WrittenBy = new(writer.String())
	}
	err = buffered(out, func(w *bufio.Writer) error {
		if v.json {
			return printJSON(w, r)
		}
		r.print(w)
		return nil
	})
	if err == nil && !r.Lossless {
		err = lossError{fmt.Errorf("%s: not everything could be saved", from)}
	}
	return err
}

// recover writes what can be saved. After an error there is no output.
func (v *recoverVerb) recover(ctx context.Context, from, to string) (*store.Recovery, error) {
	if info, err := os.Stat(from); err == nil && !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "recover", Path: from, Err: errors.New("not a regular file")}
	}
	f, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if same, err := os.Stat(to); err == nil && os.SameFile(info, same) {
		return nil, usagef("%s: a file is not recovered into itself", from)
	}
	output := store.OutputOptions{NoReplace: !v.force, Discard: v.discard}
	if err := claim.CheckFrom(info, to, output); err != nil {
		return nil, err
	}
	bar := newProgress("searching", "bytes", info.Size())
	s, err := store.OpenSalvage(ctx, f, info.Size(), store.ReadOptions{Name: from}, bar.report)
	bar.done()
	if err != nil {
		return nil, err
	}
	opt := s.Options()
	opt.Output = output
	w, err := s.Create(ctx, to, opt)
	if err != nil {
		return nil, err
	}
	bar = newProgress("writing", "slices", 0)
	report, err := s.Copy(ctx, w, bar.report)
	bar.done()
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, errors.Join(err, w.Abort())
	}
	return report, nil
}

// newRecovery tells the outcome in the words of the file that was made.
func newRecovery(from, to string, r *store.Recovery) (*recovery, error) {
	f, err := open(to)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	out := &recovery{
		Input: from, Output: to, Lossless: r.Lossless(), Torn: r.Torn, NoMeta: r.NoMeta, Blocks: r.Blocks, LostBytes: r.LostBytes,
		Events: r.Events, Definitions: r.Definitions, LostDefinitions: r.LostDefinitions, LostAuxiliary: r.LostAuxiliary,
		LostIDs: []lostID{}, Losses: []loss{}, Problems: []problem{},
	}
	for _, l := range r.LostIDs {
		out.LostIDs = append(out.LostIDs, lostID{l.Location, l.Index})
	}
	instant := func(t int64) *string {
		if t == -store.MaxTime || t == store.MaxTime {
			return nil
		}
		text := string(f.clock.append(nil, t))
		return &text
	}
	for _, l := range r.Losses {
		out.LostEvents += l.Events
		out.Losses = append(out.Losses, loss{l.Location, f.names.location(l.Location), instant(l.From), instant(l.To), l.Events})
	}
	for _, p := range r.Problems {
		var c *format.CorruptError
		if errors.As(p, &c) {
			out.Problems = append(out.Problems, newProblem(c))
		}
	}
	return out, nil
}

func (r *recovery) print(w io.Writer) {
	fmt.Fprintf(w, "%s → %s\n", printable(r.Input), printable(r.Output))
	f := facts{w, 6}
	f.line("saved", "%s, %s, of %s", plural(r.Events, "event", "events"), plural(r.Definitions, "definition", "definitions"), plural(r.Blocks, "block", "blocks"))
	if r.Lossless {
		f.line("lost", "nothing")
	}
	for _, lost := range []struct {
		is   bool
		text string
	}{
		{r.LostEvents > 0, plural(r.LostEvents, "event", "events")},
		{r.LostDefinitions > 0, plural(r.LostDefinitions, "definition", "definitions")},
		{r.LostAuxiliary > 0, plural(r.LostAuxiliary, "auxiliary record", "auxiliary records")},
		{len(r.LostIDs) > 0, plural(uint64(len(r.LostIDs)), "id of a location", "ids of locations") + ": they have others, from 2^48 on"},
		{r.NoMeta, "what the trace is as a whole: a tick is taken for a nanosecond"},
		{r.Torn, "the end: what came after the last events is not known"},
	} {
		if lost.is {
			f.line("lost", "%s", lost.text)
		}
	}
	if r.WrittenBy != nil {
		f.line("lost", "what is still to come: %s is writing the input", *r.WrittenBy)
	}
	if len(r.Losses) > 0 {
		t := newTable([]string{"from", "to", "events"}, "location", "from", "to", "events")
		for _, l := range r.Losses {
			t.AppendRow([]any{l.Name, orElse(l.From, "begin"), orElse(l.To, "end"), grouped(l.Events)})
		}
		fmt.Fprintln(w, t.Render())
	}
	if len(r.Problems) > 0 {
		printProblems(w, r.Problems)
	}
}

func orElse(text *string, otherwise string) string {
	if text == nil {
		return otherwise
	}
	return *text
}
