package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// CallTree is a call with those inside of it.
type CallTree struct {
	Name   string
	Member int
	// Exclusive is its time in a window without the calls inside, in ticks.
	Exclusive int64
	Inside    []*CallTree
}

// CallTrees returns the locations that have calls in a window, each as a call without a name. Members are numbered from a number on.
func (t *Trace) CallTrees(w *Window, calls []trace.Call, first int) (roots []*CallTree) {
	all, of := map[EventID]*CallTree{}, map[uint64]*CallTree{}
	for i := range calls {
		c := &calls[i]
		if !passes(w.Locations, c.Location) || c.Start >= w.To || c.End < w.From {
			continue
		}
		tree := &CallTree{Name: t.RegionName(c.Region), Exclusive: clipped(c, w.From, w.To)}
		all[EventID{c.Location, c.Ordinal}] = tree
		around := all[EventID{c.Location, c.Parent}]
		if around == nil {
			if of[c.Location] == nil {
				of[c.Location] = &CallTree{}
			}
			around = of[c.Location]
		}
		around.Inside = append(around.Inside, tree)
		around.Exclusive -= tree.Exclusive
	}
	for _, l := range t.Locations {
		if root := of[l.ID]; root != nil {
			root.number(first + len(roots))
			roots = append(roots, root)
		}
	}
	return roots
}

func (c *CallTree) number(member int) {
	c.Member = member
	for _, in := range c.Inside {
		in.number(member)
	}
}

// Normal returns a call as it is when calls of some names are transparent, and, with spread, calls directly inside of one of the same name are
// put before what they have inside.
func (c *CallTree) Normal(through map[string]bool, spread bool) *CallTree {
	n := &CallTree{Name: c.Name, Member: c.Member, Exclusive: c.Exclusive}
	n.take(c, n, through, spread)
	return n
}

// take appends what a call has inside; the time of transparent calls goes to a call.
func (c *CallTree) take(from, time *CallTree, through map[string]bool, spread bool) {
	for _, in := range from.Inside {
		switch {
		case through[in.Name]:
			time.Exclusive += in.Exclusive
			c.take(in, time, through, spread)
		case spread && c.Name != "" && in.Name == c.Name:
			alone := &CallTree{Name: in.Name, Member: in.Member, Exclusive: in.Exclusive}
			c.Inside = append(c.Inside, alone)
			c.take(in, alone, through, spread)
		default:
			c.Inside = append(c.Inside, in.Normal(through, spread))
		}
	}
}

// Flatten takes away what is more than a number of levels inside of a call. Its time is that of the call around it then.
func (c *CallTree) Flatten(levels int) {
	for _, in := range c.Inside {
		if in.Flatten(max(levels-1, 0)); levels == 0 {
			c.Exclusive += in.Exclusive
		}
	}
	if levels == 0 {
		c.Inside = nil
	}
}

// MergedNode is calls that stand at one place of a merged call tree, with sums by member.
type MergedNode struct {
	Name      string
	Calls     map[int]uint64
	Exclusive map[int]int64
	Below     []*MergedNode
}

// Merge merges calls of one name: Weber's progressive alignment of the lists inside, by names alone, with repeats folded (see package
// analysis/merge). Lists of more than a number of items are folded by name.
func Merge(calls []*CallTree, most int) *MergedNode {
	n := &MergedNode{Name: calls[0].Name, Calls: map[int]uint64{}, Exclusive: map[int]int64{}}
	for _, c := range calls {
		n.Calls[c.Member]++
		n.Exclusive[c.Member] += c.Exclusive
	}
	classes, ok := classesOf(calls, most, false)
	var columns []mergedColumn
	if ok {
		for _, c := range classes {
			columns = line(columns, c)
		}
	}
	if !ok || len(columns) > most {
		classes, _ = classesOf(calls, most, true)
		columns = nil
		for _, c := range classes {
			columns = lineNames(columns, c)
		}
	}
	for _, col := range columns {
		n.Below = append(n.Below, Merge(col.calls, most))
	}
	return n
}

// mergedColumn is calls of one name; mergedClass is calls whose lists have the same columns, and these.
type mergedColumn struct {
	name  string
	calls []*CallTree
}

type mergedClass struct {
	names   []string
	columns []mergedColumn
}

// classesOf returns classes in the order in which they are merged: by their distance from the median bag, longer ones first, by name.
func classesOf(calls []*CallTree, most int, byName bool) (classes []*mergedClass, ok bool) {
	for _, c := range calls {
		list, ok := folded(c.Inside, most)
		if byName {
			list = byNames(c.Inside)
		} else if !ok {
			return nil, false
		}
		var names []string
		for _, col := range list {
			names = append(names, col.name)
		}
		at := slices.IndexFunc(classes, func(o *mergedClass) bool { return slices.Equal(o.names, names) })
		if at < 0 {
			classes = append(classes, &mergedClass{names, list})
			continue
		}
		for i := range list {
			classes[at].columns[i].calls = append(classes[at].columns[i].calls, list[i].calls...)
		}
	}
	distance := map[*mergedClass]int{}
	for _, c := range classes {
		for _, name := range allNames(classes) {
			distance[c] += max(c.count(name)-median(classes, name), median(classes, name)-c.count(name))
		}
	}
	slices.SortFunc(classes, func(a, b *mergedClass) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), cmp.Compare(len(b.names), len(a.names)), slices.Compare(a.names, b.names))
	})
	return classes, true
}

func (c *mergedClass) count(name string) (n int) {
	for _, own := range c.names {
		if own == name {
			n++
		}
	}
	return n
}

func allNames(classes []*mergedClass) (all []string) {
	for _, c := range classes {
		all = append(all, c.names...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func median(classes []*mergedClass, name string) int {
	var counts []int
	for _, c := range classes {
		counts = append(counts, c.count(name))
	}
	slices.Sort(counts)
	return counts[len(counts)/2]
}

// loopElement is a name, or a loop: its text says which. Body are the texts of a loop's elements, items its columns in order.
type loopElement struct {
	text  string
	body  []string
	items []mergedColumn
}

// longestLoop is the largest number of elements in the body of a loop.
const longestLoop = 128

// folded folds a list: calls of one name beside each other are one element, and each time the list ends with two equal sequences of elements, or
// with a loop and another round of it, these become one, shorter sequences first.
func folded(list []*CallTree, most int) (items []mergedColumn, ok bool) {
	var sequence []loopElement
	for from := 0; from < len(list); {
		to := from
		for to < len(list) && list[to].Name == list[from].Name {
			to++
		}
		sequence = append(sequence, loopElement{text: list[from].Name, items: []mergedColumn{{list[from].Name, list[from:to:to]}}})
		from = to
		for reduced := true; reduced; {
			sequence, reduced = reduce(sequence)
		}
		if len(sequence) > most+2*longestLoop {
			return nil, false
		}
	}
	for _, e := range sequence {
		items = append(items, e.items...)
	}
	return items, len(items) <= most
}

func reduce(s []loopElement) ([]loopElement, bool) {
	for p := 1; p < len(s) && p <= longestLoop; p++ {
		last := s[len(s)-p:]
		if before := &s[len(s)-p-1]; len(before.body) == p && slices.Equal(before.body, texts(last)) {
			before.unite(joined(last))
			return s[:len(s)-p], true
		}
		if 2*p > len(s) {
			continue
		}
		if first := s[len(s)-2*p : len(s)-p]; first[p-1].text == last[p-1].text && slices.Equal(texts(first), texts(last)) {
			loop := joined(first)
			loop.unite(joined(last))
			return append(s[:len(s)-2*p], loop), true
		}
	}
	return s, false
}

func texts(list []loopElement) (out []string) {
	for i := range list {
		out = append(out, list[i].text)
	}
	return out
}

// joined returns elements as a loop; one alone is itself.
func joined(list []loopElement) (e loopElement) {
	for _, in := range list {
		for _, it := range in.items {
			e.items = append(e.items, mergedColumn{it.name, slices.Clone(it.calls)})
		}
	}
	if len(list) == 1 {
		e.text, e.body = list[0].text, list[0].body
		return e
	}
	e.body = texts(list)
	e.text = "\x02" + strings.Join(e.body, "\x01") + "\x03"
	return e
}

func (e *loopElement) unite(o loopElement) {
	for i := range e.items {
		e.items[i].calls = append(e.items[i].calls, o.items[i].calls...)
	}
}

// byNames folds a list so that each name is an item.
func byNames(list []*CallTree) (items []mergedColumn) {
	for _, c := range list {
		at := slices.IndexFunc(items, func(i mergedColumn) bool { return i.name == c.Name })
		if at < 0 {
			at, items = len(items), append(items, mergedColumn{name: c.Name})
		}
		items[at].calls = append(items[at].calls, c)
	}
	return items
}

// line puts a class in line with columns: equal begins first, then equal ends, and between by a table in which a column or an item without a
// partner costs 1.
func line(columns []mergedColumn, c *mergedClass) (out []mergedColumn) {
	items := c.columns
	unite := func(a, b mergedColumn) mergedColumn {
		return mergedColumn{a.name, append(slices.Clone(a.calls), b.calls...)}
	}
	for len(columns) > 0 && len(items) > 0 && columns[0].name == items[0].name {
		out = append(out, unite(columns[0], items[0]))
		columns, items = columns[1:], items[1:]
	}
	var tail []mergedColumn
	for len(columns) > 0 && len(items) > 0 && columns[len(columns)-1].name == items[len(items)-1].name {
		tail = append(tail, unite(columns[len(columns)-1], items[len(items)-1]))
		columns, items = columns[:len(columns)-1], items[:len(items)-1]
	}
	cost := make([][]int, len(columns)+1)
	for i := range cost {
		cost[i] = make([]int, len(items)+1)
		for j := range cost[i] {
			switch {
			case i == 0 || j == 0:
				cost[i][j] = i + j
			default:
				cost[i][j] = 1 + min(cost[i-1][j], cost[i][j-1])
				if columns[i-1].name == items[j-1].name {
					cost[i][j] = min(cost[i][j], cost[i-1][j-1])
				}
			}
		}
	}
	i, j := len(columns), len(items)
	for i > 0 || j > 0 {
		switch {
		case i > 0 && j > 0 && columns[i-1].name == items[j-1].name && cost[i][j] == cost[i-1][j-1]:
			tail = append(tail, unite(columns[i-1], items[j-1]))
			i, j = i-1, j-1
		case i > 0 && cost[i][j] == cost[i-1][j]+1:
			tail = append(tail, columns[i-1])
			i--
		default:
			tail = append(tail, items[j-1])
			j--
		}
	}
	slices.Reverse(tail)
	return append(out, tail...)
}

// lineNames puts a class of different names in line with columns of different names: new ones stand behind the one before them.
func lineNames(columns []mergedColumn, c *mergedClass) []mergedColumn {
	behind := 0
	for _, it := range c.columns {
		at := slices.IndexFunc(columns, func(col mergedColumn) bool { return col.name == it.name })
		if at < 0 {
			at = behind
			columns = slices.Insert(columns, at, mergedColumn{name: it.name})
		}
		columns[at].calls = append(slices.Clone(columns[at].calls), it.calls...)
		behind = at + 1
	}
	return columns
}
