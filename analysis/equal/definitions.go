package equal

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// definitions compares the logs of definitions. Those with an id are matched by it, others by what they say, and what is left in its order;
// a different order is reported once.
func (c *comparison) definitions() error {
	x, y, err := c.logs()
	if err != nil {
		return err
	}
	c.report.Definitions = uint64(max(len(x), len(y)))
	d := c.definitionPairs(x, y)
	d.match()
	d.count()
	if order, ok := d.order(); ok {
		c.report.Meta = append(c.report.Meta, order)
	}
	c.reportDefinitions(d)
	return nil
}

// logs returns the definitions of both traces.
func (c *comparison) logs() (x, y []trace.Record, err error) {
	if x, err = c.a.Definitions(0); err == nil {
		y, err = c.b.Definitions(0)
	}
	return x, y, err
}

func (c *comparison) definitionPairs(x, y []trace.Record) *definitionPairs {
	return &definitionPairs{a: cursorsOf(c.a.Meta(), c.zero[0], x), b: cursorsOf(c.b.Meta(), c.zero[1], y), rules: c.rules, part: Part{Name: "definitions"}}
}

func (c *comparison) reportDefinitions(d *definitionPairs) {
	if len(d.part.Kinds) > 0 {
		c.report.Parts = append([]Part{d.part}, c.report.Parts...)
	}
}

// number finds out which definitions belong together, and which ids mean the same if the traces do not give them the same ids.
func (c *comparison) number() error {
	x, y, err := c.logs()
	if err != nil {
		return err
	}
	if slices.EqualFunc(x, y, sameDefinition) {
		c.matching = &matching{contents: [2]*contents{{log: x}, {log: y}}, alike: true, identical: true}
		return nil
	}
	c.matching = newMatching(contentsOf(c.a.Meta(), x), contentsOf(c.b.Meta(), y))
	if !c.matching.alike {
		c.rules.numbering, c.locations = c.matching.numbering(), c.matching.locations()
	}
	return nil
}

// sameDefinition reports whether two definitions are the same, ids included.
func sameDefinition(x, y trace.Record) bool {
	return x.Kind == y.Kind && slices.Equal(x.Words, y.Words) && bytes.Equal(x.Text, y.Text)
}

// matchedDefinitions compares the definitions that belong together. Formats may have defined more while events were read.
func (c *comparison) matchedDefinitions() error {
	m := c.matching
	for side, src := range []trace.Source{c.a, c.b} {
		more, err := src.Definitions(len(m.contents[side].log))
		if err != nil {
			return err
		}
		if len(more) > 0 {
			if err := c.number(); err != nil {
				return err
			}
			break
		}
	}
	m = c.matching
	a, b := m.contents[0].log, m.contents[1].log
	c.report.Definitions = uint64(max(len(a), len(b)))
	if m.identical {
		return nil
	}
	d := c.definitionPairs(a, b)
	d.partners = m.partners
	d.count()
	c.reportNumbering(d)
	c.reportOnly()
	c.reportDefinitions(d)
	return nil
}

// reportNumbering tells that definitions stand in another order or, instead, that they have other ids.
func (c *comparison) reportNumbering(d *definitionPairs) {
	m := c.matching
	if m.alike {
		if order, ok := d.order(); ok {
			c.report.Meta = append(c.report.Meta, order)
		}
		return
	}
	var others int
	var first Change
	for i, j := range m.toB {
		if j < 0 || m.contents[0].ids[i] == m.contents[1].ids[j] {
			continue
		}
		if others++; others == 1 {
			first = Change{A: m.contents[0].label(i), B: m.contents[1].label(j)}
		}
	}
	first.Name = fmt.Sprintf("ids of %d definitions", others)
	c.report.Meta = append(c.report.Meta, first)
}

// label names a definition by its kind, name and id.
func (c *contents) label(i int) string {
	return fmt.Sprintf("%s %q %d", c.kindName(i), c.nameOf(i), c.ids[i].id)
}

func (c *contents) kindName(i int) string {
	if spec := c.table.Spec(c.log[i].Kind); spec != nil {
		return spec.Name
	}
	return c.log[i].Kind.String()
}

// mostOnly is how many definitions are listed that one of the traces has.
const mostOnly = 20

// reportOnly lists the definitions that one of the traces has.
func (c *comparison) reportOnly() {
	for side, partners := range [2][]int{c.matching.toB, c.matching.toA} {
		of := c.matching.contents[side]
		for i, partner := range partners {
			if partner < 0 && len(c.report.Only) < mostOnly {
				c.report.Only = append(c.report.Only, OneSided{In: [2]string{"A", "B"}[side], Kind: of.kindName(i), Name: of.nameOf(i)})
			}
		}
	}
}

// definitionPairs are the definitions of two traces.
type definitionPairs struct {
	partners
	a, b  []cursor
	rules *rules
	part  Part
}

// cursorsOf returns a cursor for each definition.
func cursorsOf(meta *trace.Meta, zero uint64, records []trace.Record) []cursor {
	all := make([]cursor, len(records))
	for i := range records {
		c := &all[i]
		c.table, c.epoch, c.zero, c.before = meta.Table(), meta.Epoch, zero, uint64(i)
		c.batch.Reset(0)
		c.batch.Append(records[i].Kind, 0, records[i].Words...)
		c.batch.Text = append(c.batch.Text, records[i].Text...)
	}
	return all
}

func (d *definitionPairs) match() {
	d.partners = newPartners(len(d.a), len(d.b))
	at := func(side, i int) *cursor {
		if side == 0 {
			return &d.a[i]
		}
		return &d.b[i]
	}
	matchBy(&d.partners, func(side, i int) (string, bool) {
		if id := idOf(at(side, i)); id != "" {
			return id, true
		}
		return contentOf(at(side, i)), true
	})
	matchBy(&d.partners, func(side, i int) (string, bool) {
		c := at(side, i)
		return fmt.Sprint(c.kind(), idOf(c)), true
	})
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
		case !d.rules.same(&d.a[i], &d.b[j]):
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
