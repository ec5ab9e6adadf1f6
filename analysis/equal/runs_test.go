package equal

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// rerun makes the trace of another run of the same: it begins at another time, counts in finer ticks, and gives its definitions other ids in
// another order.
type rerun struct {
	epoch, finer uint64
	ids          map[named]uint64
	rnd          *rand.Rand
}

// otherIDs gives all definitions new ids. Paradigms keep theirs, of which there are few.
func otherIDs(log []trace.Record, rnd *rand.Rand) map[named]uint64 {
	defined := map[named]bool{}
	var list []named
	for i := range log {
		trace.Standard.Spec(log[i].Kind).Walk(log[i].Words, func(_ int, f *trace.Field, word uint64) {
			if of := (named{f.Ref, word}); f.Type == trace.TypeSelf && f.Bits > 8 && !defined[of] {
				defined[of] = true
				list = append(list, of)
			}
		})
	}
	rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	ids := map[named]uint64{}
	for i, of := range list {
		ids[of] = 0x5A00_0000 + uint64(i) // which no random word is likely to be: it would refer to something in this run only
	}
	return ids
}

func (r *rerun) id(space trace.Space, id uint64) uint64 {
	if to, ok := r.ids[named{space, id}]; ok {
		return to
	}
	return id
}

// words gives a record's words their values in the other run.
func (r *rerun) words(kind trace.Kind, words []uint64, table *trace.Table, epoch uint64) {
	old := slices.Clone(words)
	switch kind {
	case trace.KindClockProperties:
		words[0], words[1], words[2], words[3] = old[0]*r.finer, r.epoch, old[2]*r.finer, old[3]+1
		return
	case trace.KindClockOffset:
		words[0], words[1] = r.epoch+(old[0]-epoch)*r.finer, old[1]*r.finer
		return
	}
	table.Spec(kind).WalkIDs(old, func(i int, f *trace.Field, space trace.Space, word uint64) {
		switch {
		case f.Type == trace.TypeTime || f.Type == trace.TypeDuration:
			words[i] = word * r.finer
		case space != trace.SpaceNone:
			words[i] = r.id(space, word)
		}
	})
}

func (r *rerun) of(t *rapid.T, src *tracegen.Trace) *tracegen.Trace {
	meta := *src.Meta()
	meta.Epoch, meta.Resolution = r.epoch, meta.Resolution*r.finer
	table, again := meta.Table(), tracegen.New(meta)
	log, err := src.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	log = slices.Clone(log)
	r.ids = otherIDs(log, r.rnd)
	r.rnd.Shuffle(len(log), func(i, j int) { log[i], log[j] = log[j], log[i] })
	for _, d := range spacesInOrder(log, src) {
		d.Words = slices.Clone(d.Words)
		r.words(d.Kind, d.Words, table, src.Meta().Epoch)
		again.DefineRecord(d)
	}
	for _, info := range src.Streams() {
		id := info.StreamID
		if id.Class != trace.StreamMarkers && id.Class != trace.StreamThumbnails {
			id.Location = r.id(trace.SpaceLocation, id.Location)
		}
		r.stream(again.Stream(id), src.Stream(info.StreamID), table, src.Meta().Epoch, timed(id.Class))
	}
	return again
}

// spacesInOrder puts the definitions of each space of ids into the order that a trace has them in, and of each kind that has no ids: of an id
// the first definition counts, and locations of the same name are distinguished by their order.
func spacesInOrder(log []trace.Record, src trace.Source) []trace.Record {
	old, _ := src.Definitions(0)
	type queue struct {
		space trace.Space
		kind  trace.Kind
	}
	of := func(d trace.Record) queue {
		for _, f := range src.Meta().Table().Spec(d.Kind).Fields {
			if f.Type == trace.TypeSelf {
				return queue{space: f.Ref}
			}
		}
		return queue{kind: d.Kind}
	}
	queues := map[queue][]trace.Record{}
	for _, d := range old {
		queues[of(d)] = append(queues[of(d)], d)
	}
	for i, d := range log {
		q := of(d)
		log[i], queues[q] = queues[q][0], queues[q][1:]
	}
	return log
}

func (r *rerun) stream(to, from *trace.Batch, table *trace.Table, epoch uint64, timed bool) {
	for i := range from.Len() {
		to.AppendFrom(from, i, table)
		r.words(from.Kinds[i], to.Fields(i), table, epoch)
		if timed {
			to.Times[i] *= int64(r.finer)
		}
		if len(to.Residuals) > i {
			to.Residuals[i] *= int64(r.finer)
		}
		for j := range to.AttrsOf(i) {
			a := &to.AttrsOf(i)[j]
			a.ID, a.Value = r.id(trace.SpaceAttribute, a.ID), r.id(a.Type.Space(), a.Value)
		}
	}
}

// Another run of the same has no other differences than its start, its clock and its ids; and if some of its events are changed, just these are
// told: those that a comparison finds which spells out what each event says.
func TestRuns(t *testing.T) {
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		r := &rerun{epoch: rapid.Uint64Range(1, 1<<60).Draw(t, "epoch"), finer: rapid.SampledFrom([]uint64{1, 3, 1000}).Draw(t, "finer"), rnd: rand.New(rand.NewPCG(seed, 1))}
		k := tracegen.RandomKnobs(seed)
		k.Late, k.Leaps, k.Length, k.Private = false, 0, min(k.Length, 60), false
		k.Start = rapid.Int64Range(-1000, 1<<40).Draw(t, "start")
		if r.finer > 1 {
			k.Any, k.Auxiliary, k.Residuals = 0, false, 0 // what is random does not fit when it is multiplied
		}
		src := tracegen.Random(seed, k)
		shortTimes(src)
		src.Meta().Epoch = r.epoch + rapid.Uint64Range(1, 1<<60).Draw(t, "epoch of A less that of B")
		again := r.of(t, src)
		got, err := Runs(context.Background(), src, again, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Start == nil || len(got.Meta) > 1 || len(got.Parts) > 0 || len(got.Only) > 0 || got.Equal {
			t.Fatalf("%+v %+v", got, got.Start)
		}
		changes := 0
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			if changed := changedEvent(t, again); changed != nil {
				again = changed
				changes++
			}
		}
		if got, err = Runs(context.Background(), src, again, nil); err != nil {
			t.Fatal(err)
		}
		want := differencesOf(t, src, again, r)
		if diff := cmp.Diff(want, countsOf(got)); diff != "" {
			t.Fatal(diff)
		}
		if changes == 1 && len(want) == 0 {
			t.Fatal("a change of one event makes no difference")
		}
		made += changes
	})
	if made == 0 {
		t.Error("no trace had an event to change")
	}
}

// shortTimes makes random times among the words of events such that they can be multiplied.
func shortTimes(src *tracegen.Trace) {
	for _, info := range src.Streams() {
		b := src.Stream(info.StreamID)
		for i := range b.Len() {
			words := b.Fields(i)
			src.Meta().Table().Spec(b.Kinds[i]).Walk(words, func(w int, f *trace.Field, word uint64) {
				if f.Type == trace.TypeTime || f.Type == trace.TypeDuration {
					words[w] = word % (1 << 50)
				}
			})
		}
	}
}

// changedEvent returns the trace with an event left out, or with another residual or time of it, nil if there are no events.
func changedEvent(t *rapid.T, src *tracegen.Trace) *tracegen.Trace {
	again := tracegen.New(*src.Meta())
	log, _ := src.Definitions(0)
	for _, d := range log {
		again.DefineRecord(d)
	}
	streams := src.Streams()
	var busy []int
	for n, info := range streams {
		if info.Class == trace.StreamEvents && src.Stream(info.StreamID).Len() > 0 {
			busy = append(busy, n)
		}
	}
	if len(busy) == 0 {
		return nil
	}
	at := rapid.SampledFrom(busy).Draw(t, "stream")
	which := rapid.IntRange(0, src.Stream(streams[at].StreamID).Len()-1).Draw(t, "event")
	how := rapid.IntRange(0, 2).Draw(t, "how")
	for n, info := range streams {
		from, to := src.Stream(info.StreamID), again.Stream(info.StreamID)
		for i := range from.Len() {
			hit := n == at && i == which
			if hit && how == 0 {
				continue
			}
			to.AppendFrom(from, i, src.Meta().Table())
			switch last := to.Len() - 1; {
			case hit && how == 1 && i+1 < from.Len() && from.Times[i+1] > from.Times[i]:
				to.Times[last]++
			case hit:
				to.SetResidual(from.Residual(i) + 1)
			}
		}
	}
	return again
}

func countsOf(r *Report) map[counted]uint64 {
	got := map[counted]uint64{}
	for _, p := range r.Parts {
		for _, k := range p.Kinds {
			for what, n := range []uint64{k.OnlyA, k.OnlyB, k.Changed, k.Moved} {
				if n > 0 {
					got[counted{p.Stream, k.Name, what}] = n
				}
			}
		}
	}
	return got
}

// speller spells out what records say, without ids.
type speller struct {
	src   trace.Source
	first map[named]*trace.Record
}

func newSpeller(src trace.Source) *speller {
	s := &speller{src: src, first: map[named]*trace.Record{}}
	log, _ := src.Definitions(0)
	for i := range log {
		src.Meta().Table().Spec(log[i].Kind).Walk(log[i].Words, func(_ int, f *trace.Field, word uint64) {
			if of := (named{f.Ref, word}); f.Type == trace.TypeSelf && s.first[of] == nil {
				s.first[of] = &log[i]
			}
		})
	}
	return s
}

// mostNested is how deep definitions that refer to each other are spelled out: calling contexts stand in each other, deeper than any trace of
// the tests has them.
const mostNested = 24

// id spells out what an id names, down to some depth.
func (s *speller) id(space trace.Space, id uint64, depth int) string {
	d := s.first[named{space, id}]
	switch {
	case space == trace.SpaceNone || d == nil:
		return fmt.Sprint(id)
	case depth == 0:
		return "..."
	}
	var text strings.Builder
	fmt.Fprint(&text, d.Kind, "(")
	var code trace.ValueType
	s.src.Meta().Table().Spec(d.Kind).Walk(d.Words, func(_ int, f *trace.Field, word uint64) {
		switch {
		case f.Type == trace.TypeSelf:
		case f.Type.InText():
			fmt.Fprintf(&text, "%q ", d.TextOf(word))
		case f.Type == trace.TypeRef:
			fmt.Fprint(&text, s.id(f.Ref, word, depth-1), " ")
		case f.Type == trace.TypeCode:
			code = trace.ValueType(word)
		case f.Type == trace.TypeValue:
			fmt.Fprint(&text, s.id(code.Space(), word, depth-1), " ")
		case f.Name == "members" || f.Name == "scope": // of what, the type tells
		default:
			fmt.Fprint(&text, word, " ")
		}
	})
	return text.String() + ")"
}

// events spells out the events of a location: at what part of a second, and what.
func (s *speller) events(b *trace.Batch) (list []record, content []string) {
	meta := s.src.Meta()
	at := func(t int64) *big.Rat {
		return big.NewRat(0, 1).SetFrac(big.NewInt(t), big.NewInt(int64(meta.Resolution)))
	}
	for i := range b.Len() {
		spec, text := meta.Table().Spec(b.Kinds[i]), ""
		var code trace.ValueType
		spec.Walk(b.Fields(i), func(_ int, f *trace.Field, word uint64) {
			switch {
			case f.Type.InText():
				text += fmt.Sprintf("%q ", b.TextOf(word))
			case f.Type == trace.TypeRef:
				text += s.id(f.Ref, word, mostNested)
			case f.Type == trace.TypeTime:
				text += at(int64(word)).String()
			case f.Type == trace.TypeDuration:
				text += new(big.Rat).SetFrac(new(big.Int).SetUint64(word), big.NewInt(int64(meta.Resolution))).String()
			case f.Type == trace.TypeCode:
				code = trace.ValueType(word)
				text += fmt.Sprint(word)
			case f.Type == trace.TypeValue:
				text += s.id(code.Space(), word, mostNested)
			default:
				text += fmt.Sprint(word)
			}
			text += " "
		})
		for _, a := range b.AttrsOf(i) {
			text += fmt.Sprint(s.id(trace.SpaceAttribute, a.ID, mostNested), a.Type, s.id(a.Type.Space(), a.Value, mostNested), " ")
		}
		text += at(b.Residual(i)).String()
		list = append(list, record{kind: spec.Name, text: at(b.Times[i]).String() + " " + text})
		content = append(content, spec.Name+text)
	}
	return list, content
}

// differencesOf compares the events of two runs by what they spell. A location whose events are the same in order has events at other times.
func differencesOf(t *rapid.T, a, b *tracegen.Trace, r *rerun) map[counted]uint64 {
	x, y, counts := newSpeller(a), newSpeller(b), map[counted]uint64{}
	for _, info := range a.Streams() {
		if info.Class != trace.StreamEvents {
			continue
		}
		listA, contentA := x.events(a.Stream(info.StreamID))
		listB, contentB := y.events(b.Stream(trace.StreamID{Location: r.id(trace.SpaceLocation, info.Location)}))
		if slices.Equal(contentA, contentB) {
			for i := range listA {
				if listA[i] != listB[i] {
					counts[counted{info.StreamID, listA[i].kind, 3}]++
				}
			}
			continue
		}
		times := map[string]int64{}
		for _, list := range [][]record{listA, listB} {
			for i := range list {
				at, text, _ := strings.Cut(list[i].text, " ")
				if _, ok := times[at]; !ok {
					times[at] = int64(len(times))
				}
				list[i].time, list[i].text = times[at], text
			}
		}
		naive(info.StreamID, listA, listB, counts)
	}
	return counts
}

// Times of clocks with other ticks are compared as fractions.
func TestCompareProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64().Draw(t, "a"), rapid.Int64().Draw(t, "b")
		m, n := rapid.Uint64().Draw(t, "m"), rapid.Uint64().Draw(t, "n")
		if rapid.Bool().Draw(t, "close") {
			b, n = a+rapid.Int64Range(-1, 1).Draw(t, "by"), m
		}
		product := func(v int64, f uint64) *big.Int { return new(big.Int).Mul(big.NewInt(v), new(big.Int).SetUint64(f)) }
		want := product(a, m).Cmp(product(b, n))
		if m == 0 || n == 0 {
			return // there is no such unit
		}
		if got := compareProducts(a, m, b, n); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}

// Definitions that one of the traces has are listed by kind and name, and calls of the others are the same whatever their ids.
func TestOnly(t *testing.T) {
	made := func(regions ...string) trace.Source {
		m := tracegen.New(trace.Meta{Resolution: 1000, Epoch: 5})
		ids := map[string]uint64{}
		for _, name := range regions {
			ids[name] = m.Region(name)
		}
		b := m.Location(3, m.Process("p"))
		b.Append(trace.KindEnter, 10, ids["main"])
		b.Append(trace.KindLeave, 20, ids["main"])
		return m
	}
	r, err := Runs(context.Background(), made("old", "main"), made("new", "other", "main"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []OneSided{{"A", "String", "old"}, {"A", "Region", "old"}, {"B", "String", "new"}, {"B", "Region", "new"}, {"B", "String", "other"}, {"B", "Region", "other"}}
	if diff := cmp.Diff(want, r.Only); diff != "" {
		t.Error(diff)
	}
	if len(r.Parts) != 1 || r.Parts[0].Name != "definitions" || len(r.Meta) != 1 || !strings.HasPrefix(r.Meta[0].Name, "ids of ") || r.Start != nil {
		t.Errorf("%+v", r)
	}
}

// A trace without a beginning of its own begins with its first event.
func TestFirstEventIsTheStart(t *testing.T) {
	made := func(epoch uint64, first int64) trace.Source {
		m := tracegen.New(trace.Meta{Resolution: 1000, Epoch: epoch})
		b, region := m.Location(3, m.Process("p")), m.Region("main")
		b.Append(trace.KindEnter, first, region)
		b.Append(trace.KindLeave, first+10, region)
		return m
	}
	for _, c := range []struct {
		epoch uint64
		first int64
	}{{0, 700}, {99, 700}, {0, -700}} {
		r, err := Runs(context.Background(), made(0, 100), made(c.epoch, c.first), nil)
		if err != nil || len(r.Parts) > 0 || r.Start == nil || r.Start.B.Tick != c.epoch+uint64(c.first) {
			t.Errorf("%+v: %+v, %v", c, r, err)
		}
	}
	if r, err := Runs(context.Background(), made(50, 100), made(60, 150), nil); err != nil || len(r.Parts) != 1 || r.Parts[0].Kinds[0].Moved != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
