package query

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/rule"
)

// scan calls visit with each batch of the table, and the rows of it that the condition selects.
func (p *Plan) scan(visit func(b *table.Batch, rows []int32) (more bool, err error)) error {
	if p.nothing {
		return nil
	}
	var rows []int32
	for b, err := range p.source.Batches(p.catalog, p.window) {
		if err != nil {
			return err
		}
		if rows, err = p.pick(b, rows[:0]); err != nil {
			return err
		}
		more := true
		if len(rows) > 0 {
			more, err = visit(b, rows)
		}
		b.Release()
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// pick appends the rows of a batch for which the condition is true.
func (p *Plan) pick(b *table.Batch, rows []int32) ([]int32, error) {
	if p.where == nil {
		for i := range b.Rows {
			rows = append(rows, int32(i))
		}
		return rows, nil
	}
	v, err := p.where.Eval(b)
	if err != nil {
		return nil, err
	}
	for i, yes := range v.Bools[:b.Rows] {
		if yes && !v.IsNull(i) {
			rows = append(rows, int32(i))
		}
	}
	return rows, nil
}

// selectRows yields the answer of a query without groups, not sorted.
func (p *Plan) selectRows(yield func(*table.Batch, error) bool) {
	err := p.scan(func(b *table.Batch, rows []int32) (bool, error) {
		out, err := p.selected(b, rows)
		return err == nil && yield(out, nil), err
	})
	if err != nil {
		yield(nil, err)
	}
}

// selected returns the answer's columns of some rows.
func (p *Plan) selected(b *table.Batch, rows []int32) (*table.Batch, error) {
	out := table.NewBatch(len(p.columns))
	out.Rows = len(rows)
	for i := range p.columns {
		n := p.columns[i].value
		v, err := n.Eval(b)
		if err != nil {
			return nil, err
		}
		appendValues(&out.Vectors[i], n.Type, v, rows)
	}
	return out, nil
}

// appendValues appends the values of some rows to a column.
func appendValues(to *table.Vector, t rule.Type, v *rule.Values, rows []int32) {
	for _, row := range rows {
		null := v.IsNull(int(row))
		switch {
		case t == rule.Float:
			to.Doubles = append(to.Doubles, v.Floats[row])
		case t == rule.Bool:
			to.Bools = append(to.Bools, v.Bools[row])
		case t != rule.Text:
			to.Ints = append(to.Ints, v.Ints[row])
		case v.Names != nil:
			to.Codes = append(to.Codes, v.Codes[row])
		default:
			if !null {
				to.Text = append(to.Text, v.Texts[row]...)
			}
			to.Ends = append(to.Ends, int32(len(to.Text)))
		}
		to.Null = append(to.Null, null)
	}
}

// sorted yields the rows of a batch in the order of the keys, page by page.
func (p *Plan) sorted(b *table.Batch, err error, yield func(*table.Batch, error) bool) {
	if err != nil {
		yield(nil, err)
		return
	}
	rows := make([]int32, b.Rows)
	for i := range rows {
		rows[i] = int32(i)
	}
	slices.SortStableFunc(rows, func(x, y int32) int {
		for _, k := range p.keys {
			if c := p.compare(&b.Vectors[k.column], k, int(x), int(y)); c != 0 {
				return c
			}
		}
		return 0
	})
	for page := range slices.Chunk(rows, table.PageRows) {
		out := table.NewBatch(len(b.Vectors))
		out.Gather(b, page)
		if !yield(out, nil) {
			return
		}
	}
}

// compare compares two rows by a key. Null comes last.
func (p *Plan) compare(v *table.Vector, k sortKey, x, y int) int {
	if a, b := v.IsNull(x), v.IsNull(y); a || b {
		return rank(a) - rank(b)
	}
	c := 0
	switch column := &p.columns[k.column]; {
	case column.names != nil:
		c = strings.Compare(column.names.List[v.Codes[x]], column.names.List[v.Codes[y]])
	case column.kind == rule.Text:
		c = strings.Compare(string(v.TextOf(x)), string(v.TextOf(y)))
	case column.kind == rule.Float:
		c = cmp.Compare(v.Doubles[x], v.Doubles[y])
	case column.kind == rule.Bool:
		c = rank(v.Bools[x]) - rank(v.Bools[y])
	default:
		c = cmp.Compare(v.Ints[x], v.Ints[y])
	}
	if k.descending {
		return -c
	}
	return c
}

func rank(b bool) int {
	if b {
		return 1
	}
	return 0
}
