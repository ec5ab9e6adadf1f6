package table

import (
	"iter"
	"slices"

	"github.com/pandotrace/pando/store"
)

// ParentPrefix is what names of columns of the call around a call begin with.
const ParentPrefix = "parent."

// WithParents returns a table of calls with the columns of the call around each of them, null at depth 0. That call is in each window in which a call inside of it is; a
// filter of the window that leaves it out makes its columns null.
func WithParents(calls *Table) *Table {
	s := *calls
	s.Columns, s.Names, s.chosen = slices.Clone(calls.Columns), slices.Clone(calls.Names), slices.Clone(calls.chosen)
	var of []int // the columns of calls that have one of parents, in its order
	for i, c := range calls.Columns {
		if c.Type == Text {
			continue
		}
		c.Name, c.Null = ParentPrefix+c.Name, true
		s.Columns, s.Names, s.chosen, of = append(s.Columns, c), append(s.Names, calls.Names[i]), append(s.chosen, len(s.chosen)), append(of, i)
	}
	s.rows = func(x *Catalog, w *store.Window, chosen []int) iter.Seq2[*Batch, error] {
		if !slices.ContainsFunc(chosen, func(place int) bool { return place >= len(calls.Columns) }) {
			return calls.rows(x, w, chosen)
		}
		p := parents{calls: calls}
		for _, place := range chosen {
			p.choose(place, of)
		}
		return p.rows(x, w)
	}
	return &s
}

// parents finds the values of the calls around calls, which come before them. Each location has a slot for each depth, with the latest call there.
type parents struct {
	calls  *Table
	places []int     // columns that are read
	own    []int     // by column of the answer: where its values are read; of a parent's, those that its calls leave
	kept   []*Vector // by column of the answer: of a parent's column, the values in slots; else nil

	call, parent, location, depth int // where these are read
	slots                         map[int64][]int32
	ids                           []int64 // by slot: which call it has
	into, from                    []int32 // by row of a batch: its slot, and that of its parent, -1 for none
}

// choose takes up a column of the answer.
func (p *parents) choose(place int, of []int) {
	var kept *Vector
	if n := len(p.calls.Columns); place >= n {
		place, kept = of[place-n], &Vector{}
	}
	p.own, p.kept = append(p.own, p.read(place)), append(p.kept, kept)
}

// read returns where a column is read, which is read from now on.
func (p *parents) read(place int) int {
	if at := slices.Index(p.places, place); at >= 0 {
		return at
	}
	p.places = append(p.places, place)
	return len(p.places) - 1
}

func (p *parents) named(name string) int {
	return p.read(slices.IndexFunc(p.calls.Columns, func(c Column) bool { return c.Name == name }))
}

func (p *parents) rows(x *Catalog, w *store.Window) iter.Seq2[*Batch, error] {
	p.call, p.parent, p.location, p.depth = p.named("call"), p.named("parent"), p.named("location"), p.named("depth")
	p.slots = map[int64][]int32{}
	return func(yield func(*Batch, error) bool) {
		for b, err := range p.calls.rows(x, w, p.places) {
			if err != nil {
				yield(nil, err)
				return
			}
			p.place(b)
			out := NewBatch(len(p.own))
			out.Rows = b.Rows
			for i, at := range p.own {
				if p.kept[i] == nil {
					out.Vectors[i].append(&b.Vectors[at])
				} else {
					p.follow(&out.Vectors[i], p.kept[i], &b.Vectors[at])
				}
			}
			b.Release()
			if !yield(out, nil) {
				return
			}
		}
	}
}

// place finds the slots of the rows of a batch.
func (p *parents) place(b *Batch) {
	calls, parents, depths := b.Vectors[p.call].Ints, &b.Vectors[p.parent], b.Vectors[p.depth].Ints
	p.into, p.from = p.into[:0], p.from[:0]
	for row, location := range b.Vectors[p.location].Ints {
		list, depth := p.slots[location], depths[row]
		for int64(len(list)) <= depth {
			list = append(list, int32(len(p.ids)))
			p.ids = append(p.ids, -1)
			p.slots[location] = list
		}
		from := int32(-1)
		if depth > 0 && !parents.IsNull(row) && p.ids[list[depth-1]] == parents.Ints[row] {
			from = list[depth-1]
		}
		p.ids[list[depth]] = calls[row]
		p.into, p.from = append(p.into, list[depth]), append(p.from, from)
	}
}

// follow appends the values of the rows' parents, and keeps those of the rows for the calls inside of them.
func (p *parents) follow(to, kept, of *Vector) {
	slots := len(p.ids)
	kept.Null = append(kept.Null, make([]bool, slots-len(kept.Null))...)
	to.Ints = followed(to.Ints, &kept.Ints, of.Ints, slots, p.from, p.into)
	to.Doubles = followed(to.Doubles, &kept.Doubles, of.Doubles, slots, p.from, p.into)
	to.Bools = followed(to.Bools, &kept.Bools, of.Bools, slots, p.from, p.into)
	to.Codes = followed(to.Codes, &kept.Codes, of.Codes, slots, p.from, p.into)
	for row, from := range p.from {
		to.Null = append(to.Null, from < 0 || kept.Null[from])
		kept.Null[p.into[row]] = of.IsNull(row)
	}
}

// followed does that for the values of one type, if the column has such.
func followed[T any](to []T, kept *[]T, of []T, slots int, from, into []int32) []T {
	if len(of) == 0 {
		return to
	}
	*kept = append(*kept, make([]T, slots-len(*kept))...)
	for row, x := range of {
		var value T
		if from[row] >= 0 {
			value = (*kept)[from[row]]
		}
		to = append(to, value)
		(*kept)[into[row]] = x
	}
	return to
}
