package report

import (
	"errors"
	"fmt"
	"io"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store"
)

// Recovery is the outcome of a recovery.
type Recovery struct {
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
	LostIDs         []LostID  `json:"lost_ids"`
	Losses          []Loss    `json:"losses"`
	Problems        []Problem `json:"problems"`
}

// LostID is a location that was saved under a made-up id; Index is its place among the locations of the input.
type LostID struct {
	Location uint64 `json:"location"`
	Index    uint32 `json:"index"`
}

// Loss is a number of events of one location that were lost. From and To, the times of the events before and after them in seconds since the first event, are null where there are none.
type Loss struct {
	Location uint64  `json:"location"`
	Name     string  `json:"name"`
	From     *string `json:"from"`
	To       *string `json:"to"`
	Events   uint64  `json:"events"`
}

// NewRecovery returns the outcome in the words of the trace that was made from the input.
func NewRecovery(from string, made *Trace, r *store.RecoverReport) *Recovery {
	out := &Recovery{
		Input: from, Output: made.Path, Lossless: r.Lossless(), Torn: r.Torn, NoMeta: r.NoMeta, Blocks: r.Blocks, LostBytes: r.LostBytes,
		Events: r.Events, Definitions: r.Definitions, LostDefinitions: r.LostDefinitions, LostAuxiliary: r.LostAuxiliary,
		LostIDs: []LostID{}, Losses: []Loss{}, Problems: []Problem{},
	}
	for _, l := range r.LostIDs {
		out.LostIDs = append(out.LostIDs, LostID{l.Location, l.Index})
	}
	instant := func(t int64) *string {
		if t == -store.MaxTime || t == store.MaxTime {
			return nil
		}
		text := string(made.clock.AppendTime(nil, t))
		return &text
	}
	for _, l := range r.Losses {
		out.LostEvents += l.Events
		out.Losses = append(out.Losses, Loss{l.Location, made.names.Location(l.Location), instant(l.From), instant(l.To), l.Events})
	}
	for _, p := range r.Problems {
		var c *format.CorruptError
		if errors.As(p, &c) {
			out.Problems = append(out.Problems, newProblem(c))
		}
	}
	return out
}

func (r *Recovery) writeText(w io.Writer) {
	fmt.Fprintf(w, "%s → %s\n", Printable(r.Input), Printable(r.Output))
	f := facts{w, 6}
	f.line("saved", "%s, %s, of %s", Plural(r.Events, "event", "events"), Plural(r.Definitions, "definition", "definitions"), Plural(r.Blocks, "block", "blocks"))
	if r.Lossless {
		f.line("lost", "nothing")
	}
	for _, lost := range []struct {
		is   bool
		text string
	}{
		{r.LostEvents > 0, Plural(r.LostEvents, "event", "events")},
		{r.LostDefinitions > 0, Plural(r.LostDefinitions, "definition", "definitions")},
		{r.LostAuxiliary > 0, Plural(r.LostAuxiliary, "auxiliary record", "auxiliary records")},
		{len(r.LostIDs) > 0, Plural(uint64(len(r.LostIDs)), "id of a location", "ids of locations") + ": they have others, from 2^48 on"},
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
			t.row(l.Name, orElse(l.From, "begin"), orElse(l.To, "end"), Grouped(l.Events))
		}
		t.write(w)
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
