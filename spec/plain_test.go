package spec

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// A decoder that was written from the text reads all events that the engine wrote.
func TestTextIsEnoughToReadAFile(t *testing.T) {
	k := tracegen.RandomKnobs(1)
	k.Processes, k.Threads, k.Length, k.Messages, k.Leaps = 4, 2, 300, 300, 0
	k.Any, k.Attributes, k.Residuals, k.Contexts, k.Private = 0.2, 0.1, 0.1, true, true
	for name, open := range map[string]func() trace.Source{
		"ring":     func() trace.Source { return tracegen.Ring(4, 60, 1) },
		"measured": measured,
		"random":   func() trace.Source { return tracegen.Random(1, k) },
		"exchange": func() trace.Source { return tracegen.Exchange(3, 300, true, 1000, 1) },
		"disorder": func() trace.Source { return tracegen.Shuffle(1, 20_000, 2) },
		"crowd": func() trace.Source {
			return tracegen.Random(3, tracegen.Knobs{
				Processes: 12, Threads: 2, Length: 200, Regions: 8, Messages: 1500, Talk: 0.8, Step: 1000, Lattice: 10, Recursion: 10,
			})
		},
		"texts": func() trace.Source { return tracegen.Comments(3, 300, 1) },
		"logs": func() trace.Source {
			wordy := tracegen.Wordies()
			return wordy[slices.IndexFunc(wordy, func(w tracegen.Wordy) bool { return w.Name == "attribute-texts" })].Trace(60, 1)
		},
		"moods": func() trace.Source { return tracegen.Moods(6000, 1) },
		"pairs": func() trace.Source { return tracegen.Paired(1, 3, 2, 3000) },
		"lattice": func() trace.Source {
			return tracegen.Random(2, tracegen.Knobs{Processes: 2, Threads: 1, Length: 800, Regions: 5, Step: 500, Lattice: 10})
		},
	} {
		for _, opt := range []store.Options{{}, {SliceEvents: 300, Fanout: 3, EpochSlices: 6, LaneLocations: 2, Hashes: true, PageEntries: 20, PageLocations: 2}, {SliceEvents: 300, Hashes: true, GroupSlices: 8}} {
			t.Run(fmt.Sprintf("%s/%d/%d", name, opt.SliceEvents, opt.Fanout), func(t *testing.T) { checkPlain(t, open, opt) })
		}
	}
	for _, what := range []string{
		"coded model", "token after a listed shape", "exception", "four states", "offsets in states alone", "values of group 1", "values of group 2", "values of group 3", "relative rank", "text", "residual", "attribute", "lattice",
		"shared memory", "from nothing", "from time", "from another column", "double", "unit", "departure beside the unit", "unsigned", "value on a lattice", "value beside the lattice", "value that the phase's middle does not give",
		"pair of contexts", "id in a roster", "composite", "recursion", "demoted field", "second guess", "closing edge", "pair of ends", "unpaired end", "spanning message", "spanning call",
		"message between lanes", "call inside", "times in ticks", "several parts", "several sends of a location", "several receives of a location",
		"run of slices", "array of slices", "sum of calls", "sum of messages", "sum of collective operations", "sum of metrics",
		"empty table", "run of several children", "model of a table", "calls below", "nested calls",
		"bins", "model of bins", "time without calls", "hashes", "hashes of nodes of nodes", "page of lanes", "page of locations",
		"spanning pair", "pair that is never closed", "plain text", "compressed text", "text with a dictionary", "dictionary of texts", "phrases", "paired phrase", "differences of numbers", "divided context", "quarters",
	} {
		if met[what] == 0 {
			t.Errorf("no file had a %s", what)
		}
	}
	t.Log(met)
}

// It reads files of any layout: lanes of one, three or all locations, trees of 2 to 64 children, groups of one slice and of all of a node of level 2, slices of a few events. In most of them
// lanes have no events at the begin or the end of their groups.
func TestTextIsEnoughForAnyLayout(t *testing.T) {
	open := func() trace.Source {
		return tracegen.Random(4, tracegen.Knobs{
			Processes: 5, Threads: 2, IdleThreads: true, Length: 40, Regions: 3, Messages: 40, Talk: 0.7, Step: 300, Lattice: 10, Leaps: 0.02, SameTime: 0.1,
		})
	}
	for i, lane := range []int{1, 3, 100} {
		for j, fanout := range []int{2, 3, 7, 16, 64} {
			opt := store.Options{LaneLocations: lane, Fanout: fanout, SliceEvents: []int{3, 40, 11}[(i+j)%3], EpochSlices: 3 * fanout * (j % 2), Hashes: j == 1}
			opt.GroupSlices = []int{0, fanout * fanout, 1}[(i+2*j)%3]
			t.Run(fmt.Sprintf("%d/%d/%d/%d", lane, fanout, opt.GroupSlices, opt.SliceEvents), func(t *testing.T) { checkPlain(t, open, opt) })
		}
	}
}

func checkPlain(t *testing.T, open func() trace.Source, opt store.Options) {
	want, err := model.Load(open())
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	src := open()
	w, err := store.NewWriter(t.Context(), &file, src.Meta(), opt)
	if err == nil {
		err = store.Copy(t.Context(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	f := readPlainFile(file.Bytes())
	events := make([][]model.Record, len(f.locations))
	contents := &plainContents{file: f, want: want, stacks: map[uint64][]plainOpen{}, since: map[uint64]int64{}}
	items := f.spanningMessages()
	postings := plainPostings{}
	strings := &plainStrings{want.Definitions, map[uint64][]plainSymbol{}}
	for number := range f.nSlices {
		ends := plainEnds{file: f, definitions: want.Definitions, sends: map[plainChannel][]plainEnd{}}
		for lane := range f.lanes {
			s := f.slice(number, lane)
			for i := range s.runs {
				r := &s.runs[i]
				if r.first != uint64(len(events[r.location])) {
					t.Fatalf("slice %d: location %d begins with event %d", number, r.location, r.first)
				}
				events[r.location] = append(events[r.location], r.records...)
			}
			ends.collect(s)
			postings.collect(number, s)
			contents.collect(number, s)
			strings.collect(number, s)
		}
		for _, m := range ends.pair() {
			items = append(items, plainItem{Message: m, slices: [2]uint64{number, number}})
		}
	}
	contents.finish()
	if all := slices.Concat(events...); uint64(len(all)) != f.nEvents {
		t.Errorf("%d events, the root says %d", len(all), f.nEvents)
	}
	var messages []trace.Message
	for i := range items {
		contents.message(&items[i])
		messages = append(messages, items[i].Message)
	}
	checkEvents(t, f, want, events)
	if sum := f.fingerprint(want.Meta.Epoch, events); !bytes.Equal(sum, f.sha256) {
		t.Errorf("the fingerprint is %x, the file says %x", sum, f.sha256)
	}
	checkMessages(t, want.Match().Messages, messages)
	checkSpanningCalls(t, f, want.Calls())
	checkSpanningPairs(t, f, want)
	checkDefinitions(t, f, want)
	checkPostings(t, postings, f.postings())
	checkSummaries(t, contents)
	checkBins(t, contents)
	checkHashes(t, f, strings)
}

func checkEvents(t *testing.T, f *plainFile, want *model.Trace, events [][]model.Record) {
	t.Helper()
	if len(events) != len(want.Locations) {
		t.Fatalf("%d locations, want %d", len(events), len(want.Locations))
	}
	for i, l := range want.Locations {
		if f.locations[i].id != l.ID || f.locations[i].events != uint64(len(l.Events)) {
			t.Fatalf("location %d is %+v, want %d with %d events", i, f.locations[i], l.ID, len(l.Events))
		}
		for j := range max(len(events[i]), len(l.Events)) {
			if j >= len(events[i]) || j >= len(l.Events) || !reflect.DeepEqual(events[i][j], l.Events[j]) {
				t.Fatalf("location %d, event %d: %+v, want %+v", l.ID, j, events[i][min(j, len(events[i])-1)], l.Events[min(j, len(l.Events)-1)])
			}
		}
	}
}

func checkMessages(t *testing.T, want, got []trace.Message) {
	t.Helper()
	order := func(a, b trace.Message) int {
		return cmp.Or(cmp.Compare(a.SendLocation, b.SendLocation), cmp.Compare(a.SendOrdinal, b.SendOrdinal))
	}
	slices.SortFunc(want, order)
	slices.SortFunc(got, order)
	if !slices.Equal(want, got) {
		t.Errorf("%d messages\n%v, want %d\n%v", len(got), got, len(want), want)
	}
}

// checkSpanningCalls compares the items with the calls whose ends lie in different slices.
func checkSpanningCalls(t *testing.T, f *plainFile, calls []trace.Call) {
	t.Helper()
	byPlace := map[[2]uint64]trace.Call{}
	for _, c := range calls {
		byPlace[[2]uint64{c.Location, c.Ordinal}] = c
	}
	found := map[[2]uint64]bool{}
	for _, got := range f.spanningCalls() {
		place := [2]uint64{got.Location, got.Ordinal}
		want := byPlace[place]
		want.Depth, want.Parent = 0, 0 // which are not stored
		if want.Context != trace.Undefined {
			want.Region = 0
		}
		if got != want || found[place] {
			t.Fatalf("item %+v, want %+v", got, want)
		}
		found[place] = true
	}
	for place, c := range byPlace {
		a, b := f.sliceOf(c.Start), f.sliceOf(c.End)
		if !found[place] && (a != b || c.Flags&trace.CallOpen != 0) {
			t.Fatalf("no item for the call %+v from slice %d to %d", c, a, b)
		}
	}
}

func checkDefinitions(t *testing.T, f *plainFile, want *model.Trace) {
	t.Helper()
	records := f.records()
	if len(records) != len(want.Definitions.Log) {
		t.Fatalf("%d definitions, want %d", len(records), len(want.Definitions.Log))
	}
	for i, r := range records {
		if w := want.Definitions.Log[i]; r.Kind != w.Kind || !slices.Equal(r.Words, w.Words) || string(r.Text) != string(w.Text) {
			t.Fatalf("definition %d is %+v, want %+v", i, r, w)
		}
	}
}
