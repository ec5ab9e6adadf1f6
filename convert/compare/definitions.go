package compare

import (
	"fmt"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// definitions compares the logs of definitions. Those with an id are matched by it, others by what they say, and what is left in its order;
// that the order is another one is told once.
func (c *comparison) definitions() error {
	x, err := c.a.Definitions(0)
	if err != nil {
		return err
	}
	y, err := c.b.Definitions(0)
	if err != nil {
		return err
	}
	c.report.Definitions = uint64(max(len(x), len(y)))
	d := definitionPairs{a: cursorsOf(c.a.Meta(), x), b: cursorsOf(c.b.Meta(), y), part: Part{Name: "definitions"}}
	d.match()
	d.count()
	if len(d.part.Kinds) > 0 {
		c.report.Parts = append([]Part{d.part}, c.report.Parts...)
	}
	if order, ok := d.order(); ok {
		c.report.Meta = append(c.report.Meta, order)
	}
	return nil
}

// definitionPairs are the definitions of two traces: each with the place of its partner in the other one, -1 without.
type definitionPairs struct {
	a, b     []cursor
	toB, toA []int
	part     Part
}

// cursorsOf returns a cursor for each definition.
func cursorsOf(meta *trace.Meta, records []trace.Record) []cursor {
	all := make([]cursor, len(records))
	for i := range records {
		c := &all[i]
		c.table, c.epoch, c.before = meta.Table(), meta.Epoch, uint64(i)
		c.batch.Reset(0)
		c.batch.Append(records[i].Kind, 0, records[i].Words...)
		c.batch.Text = append(c.batch.Text, records[i].Text...)
	}
	return all
}

func (d *definitionPairs) match() {
	d.toB, d.toA = unmatched(len(d.a)), unmatched(len(d.b))
	d.matchBy(func(c *cursor) string {
		if id := idOf(c); id != "" {
			return id
		}
		return contentOf(c)
	})
	d.matchBy(func(c *cursor) string { return fmt.Sprint(c.kind(), idOf(c)) })
}

func unmatched(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = -1
	}
	return list
}

// matchBy matches the n-th definition of a key with the n-th, among those that have no partner yet.
func (d *definitionPairs) matchBy(key func(*cursor) string) {
	places := map[string][]int{}
	for j := range d.b {
		if d.toA[j] < 0 {
			k := key(&d.b[j])
			places[k] = append(places[k], j)
		}
	}
	for i := range d.a {
		if d.toB[i] >= 0 {
			continue
		}
		k := key(&d.a[i])
		if list := places[k]; len(list) > 0 {
			d.toB[i], d.toA[list[0]], places[k] = list[0], i, list[1:]
		}
	}
}

// idOf returns the kind and id of a definition as text, "" if it has no id.
func idOf(c *cursor) (id string) {
	c.walk(func(f *trace.Field, word uint64) {
		if f.Type == trace.TypeSelf && id == "" {
			id = fmt.Sprint(c.kind(), " id ", word)
		}
	})
	return id
}

// contentOf returns all that a definition says as text.
func contentOf(c *cursor) string {
	var all strings.Builder
	fmt.Fprint(&all, c.kind())
	c.walk(func(f *trace.Field, word uint64) { fmt.Fprint(&all, " ", c.field(f, word)) })
	return all.String()
}

// count counts what differs.
func (d *definitionPairs) count() {
	for i := range d.a {
		switch j := d.toB[i]; {
		case j < 0:
			d.part.differ(&d.a[i], &cursor{before: uint64(len(d.b))}, true, false)
		case !same(&d.a[i], &d.b[j]):
			d.part.differ(&d.a[i], &d.b[j], true, true)
		}
	}
	for j := range d.b {
		if d.toA[j] < 0 {
			d.part.differ(&cursor{before: uint64(len(d.a))}, &d.b[j], false, true)
		}
	}
}

// order finds the first definition that stands in B before one that it stands behind in A.
func (d *definitionPairs) order() (Change, bool) {
	last := -1
	for i, j := range d.toB {
		switch {
		case j < 0:
		case j < last:
			at := func(place int) string { return fmt.Sprintf("%d: %s", place+1, d.a[i].text()) }
			return Change{"order of definitions", at(i), at(j)}, true
		default:
			last = j
		}
	}
	return Change{}, false
}
