package query

import (
	"math"
	"math/bits"
	"slices"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/rule"
)

// grouping numbers the groups of rows, in the order in which they appear.
type grouping struct {
	plan  *Plan
	pairs []map[uint64]uint32 // by key: number of the group so far and of the value, to that of the longer group
	words []map[uint64]uint32 // by key: numbers of values
	texts []map[string]uint32
	group []uint32     // of each row of the batch
	rows  *table.Batch // the keys of each group
	count uint32
	sums  []sum // by column of the answer
}

// sum is what an aggregate keeps of each group.
type sum struct {
	count  []int64
	low    []uint64 // of integers: the sum, of 128 bits; min and max are in it, too
	high   []int64
	float  []float64
	values [][]float64
}

// grouped returns the groups with what they add up to.
func (p *Plan) grouped() (*table.Batch, error) {
	g := &grouping{plan: p, rows: table.NewBatch(len(p.columns)), sums: make([]sum, len(p.columns))}
	for range p.by {
		g.pairs, g.words, g.texts = append(g.pairs, map[uint64]uint32{}), append(g.words, map[uint64]uint32{}), append(g.texts, map[string]uint32{})
	}
	kept := int64(0)
	err := p.scan(func(b *table.Batch, rows []int32) (bool, error) {
		if err := g.number(b, rows); err != nil {
			return false, err
		}
		for i := len(p.by); i < len(p.columns); i++ {
			if err := g.add(i, b, rows); err != nil {
				return false, err
			}
			if p.columns[i].agg == "quantile" {
				kept += int64(8 * len(rows))
			}
		}
		return true, p.fits(kept + int64(g.count)*int64(64*len(p.columns)))
	})
	if err != nil {
		return nil, err
	}
	if len(p.by) == 0 {
		g.count = 1
		for i := range g.sums {
			g.sums[i].grow(1)
		}
	}
	return g.finish()
}

// number finds the group of each row.
func (g *grouping) number(b *table.Batch, rows []int32) error {
	g.group = append(g.group[:0], make([]uint32, len(rows))...)
	keys := make([]*rule.Values, len(g.plan.by))
	for k, n := range g.plan.by {
		v, err := n.Eval(b)
		if err != nil {
			return err
		}
		keys[k] = v
		g.extend(k, n.Type, v, rows)
	}
	if len(keys) == 0 {
		g.count = 1
		return nil
	}
	for i, id := range g.group {
		if id < g.count {
			continue
		}
		g.count++
		for k, n := range g.plan.by {
			appendValues(&g.rows.Vectors[k], n.Type, keys[k], rows[i:i+1])
		}
	}
	return nil
}

// extend tells groups apart by one more key.
func (g *grouping) extend(k int, t rule.Type, v *rule.Values, rows []int32) {
	pairs, lastPair, last := g.pairs[k], uint64(math.MaxUint64), uint32(0)
	for i, row := range rows {
		id := g.value(k, t, v, row)
		pair := uint64(g.group[i])<<32 | uint64(id)
		if pair != lastPair {
			next, ok := pairs[pair]
			if !ok {
				next = uint32(len(pairs))
				pairs[pair] = next
			}
			lastPair, last = pair, next
		}
		g.group[i] = last
	}
}

// value returns the number of a value among those of a key; that of null is 0.
func (g *grouping) value(k int, t rule.Type, v *rule.Values, row int32) uint32 {
	if v.IsNull(int(row)) {
		return 0
	}
	var word uint64
	switch {
	case t == rule.Text && v.Names != nil:
		return uint32(v.Codes[row]) + 1
	case t == rule.Text:
		id, ok := g.texts[k][v.Texts[row]]
		if !ok {
			id = uint32(len(g.texts[k])) + 1
			g.texts[k][v.Texts[row]] = id
		}
		return id
	case t == rule.Bool:
		return uint32(rank(v.Bools[row])) + 1
	case t == rule.Float:
		word = math.Float64bits(v.Floats[row] + 0) // -0 is 0
	default:
		if word = uint64(v.Ints[row]); word < 1<<16 {
			return uint32(word) + 1
		}
	}
	id, ok := g.words[k][word]
	if !ok {
		id = uint32(len(g.words[k])) + 1<<17
		g.words[k][word] = id
	}
	return id
}

func (s *sum) grow(groups int) {
	for len(s.count) < groups {
		s.count, s.low, s.high, s.float, s.values = append(s.count, 0), append(s.low, 0), append(s.high, 0), append(s.float, 0), append(s.values, nil)
	}
}

// add adds the rows of a batch to their groups.
func (g *grouping) add(column int, b *table.Batch, rows []int32) error {
	c, s := &g.plan.columns[column], &g.sums[column]
	s.grow(int(g.count))
	stands := g.stands(b)
	if c.value == nil {
		for i, id := range g.group {
			s.count[id] += stands(rows[i])
		}
		return nil
	}
	v, err := c.value.Eval(b)
	if err != nil {
		return err
	}
	isFloat := c.value.Type == rule.Float
	for i, row := range rows {
		if v.IsNull(int(row)) {
			continue
		}
		id := g.group[i]
		first := s.count[id] == 0
		s.count[id] += stands(row)
		switch {
		case c.agg == "count":
		case c.agg == "quantile" && isFloat:
			s.values[id] = append(s.values[id], v.Floats[row])
		case c.agg == "quantile":
			s.values[id] = append(s.values[id], float64(v.Ints[row]))
		case isFloat:
			s.addFloat(c.agg, id, v.Floats[row], first)
		default:
			s.addInt(c.agg, id, v.Ints[row], first)
		}
	}
	return nil
}

// stands returns what says how many rows of the table a row stands for: the last column of totals.
func (g *grouping) stands(b *table.Batch) func(row int32) int64 {
	if !g.plan.added {
		return func(int32) int64 { return 1 }
	}
	counts := b.Vectors[len(b.Vectors)-1].Ints
	return func(row int32) int64 { return counts[row] }
}

func (s *sum) addFloat(agg string, id uint32, x float64, first bool) {
	switch {
	case agg == "min" && (first || x < s.float[id]), agg == "max" && (first || x > s.float[id]):
		s.float[id] = x
	case agg == "sum" || agg == "mean":
		s.float[id] += x
	}
}

func (s *sum) addInt(agg string, id uint32, x int64, first bool) {
	switch {
	case agg == "min" && (first || x < int64(s.low[id])), agg == "max" && (first || x > int64(s.low[id])):
		s.low[id] = uint64(x)
	case agg == "sum" || agg == "mean":
		low, carry := bits.Add64(s.low[id], uint64(x), 0)
		s.low[id], s.high[id] = low, s.high[id]+x>>63+int64(carry)
	}
}

// finish makes the rows of the answer.
func (g *grouping) finish() (*table.Batch, error) {
	g.rows.Rows = int(g.count)
	for i := len(g.plan.by); i < len(g.plan.columns); i++ {
		for id := range int(g.count) {
			if err := g.put(i, id, &g.rows.Vectors[i]); err != nil {
				return nil, err
			}
		}
	}
	return g.rows, nil
}

// put appends what a group adds up to.
func (g *grouping) put(column, id int, to *table.Vector) error {
	c, s := &g.plan.columns[column], &g.sums[column]
	n := s.count[id]
	if c.agg == "count" {
		to.Ints, to.Null = append(to.Ints, n), append(to.Null, false)
		return nil
	}
	isFloat := c.value.Type == rule.Float
	x, whole := s.float[id], int64(s.low[id])
	switch {
	case n == 0:
	case c.agg == "quantile":
		x = quantile(s.values[id], c.share)
	case c.agg == "sum" && !isFloat && s.high[id] != whole>>63:
		return c.node.Bad("a sum does not fit into 64 bits; sum(float(x)) is a floating-point number")
	case c.agg == "mean" && !isFloat:
		x = (float64(s.high[id])*0x1p64 + float64(s.low[id])) / float64(n)
		if s.high[id] == whole>>63 {
			x = float64(whole) / float64(n)
		}
	case c.agg == "mean":
		x /= float64(n)
	}
	if c.kind == rule.Time && (c.agg == "mean" || c.agg == "quantile") {
		whole = int64(math.Round(x))
	}
	if c.kind == rule.Float {
		to.Doubles = append(to.Doubles, x)
	} else {
		to.Ints = append(to.Ints, whole)
	}
	to.Null = append(to.Null, n == 0)
	return nil
}

// quantile returns the least value that a share of the values does not exceed.
func quantile(values []float64, share float64) float64 {
	slices.Sort(values)
	return values[max(0, int(math.Ceil(share*float64(len(values))))-1)]
}
