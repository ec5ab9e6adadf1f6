package report

import (
	"context"
	"fmt"
	"io"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Compaction says how much smaller the graph of shapes is than the call trees. Rates are 1 - after/before, and ratios before/after; a rate
// is null if there was nothing before, a ratio if there is nothing after.
type Compaction struct {
	Before            Graph    `json:"before"`
	After             Graph    `json:"after"`
	Rate              Rates    `json:"rate"`
	RateWithoutTokens Rates    `json:"rate_without_tokens"`
	Roots             uint64   `json:"roots"`
	Dictionaries      Graph    `json:"dictionaries"`
	Tokens            Graph    `json:"tokens"`
	SpanningCalls     uint64   `json:"spanning_calls"`
	SpanningMessages  uint64   `json:"spanning_messages"`
	NodeRatio         *float64 `json:"node_ratio"`
	TreeBytes         uint64   `json:"tree_bytes"`
	GraphBytes        uint64   `json:"graph_bytes"`
	MemoryRatio       *float64 `json:"memory_ratio"`
}

// Graph is the size of a graph: nodes, edges, ends of messages, and the sum of these.
type Graph struct {
	Nodes    uint64 `json:"nodes"`
	Edges    uint64 `json:"edges"`
	Messages uint64 `json:"messages"`
	All      uint64 `json:"all"`
}

// Rates are the rates of the numbers of a Graph.
type Rates struct {
	Nodes    *float64 `json:"nodes"`
	Edges    *float64 `json:"edges"`
	Messages *float64 `json:"messages"`
	All      *float64 `json:"all"`
}

// AddCompaction adds how much the graph of shapes saves. It reads all of the file.
func (o *Info) AddCompaction(ctx context.Context, progress trace.Progress) error {
	c, err := o.trace.Reader.Compaction(ctx, progress)
	if err != nil {
		return err
	}
	after := c.After()
	without := after
	without.Edges -= c.Tokens.Edges
	without.Messages -= c.Tokens.Messages
	o.Compaction = &Compaction{
		Before: newGraph(c.Before), After: newGraph(after), Rate: newRates(c.Before, after), RateWithoutTokens: newRates(c.Before, without),
		Roots: c.Roots, Dictionaries: newGraph(c.Dictionaries), Tokens: newGraph(c.Tokens),
		SpanningCalls: c.SpanningCalls, SpanningMessages: c.SpanningMessages,
		NodeRatio: ratio(c.Before.Nodes, after.Nodes),
		TreeBytes: c.TreeBytes, GraphBytes: c.GraphBytes, MemoryRatio: ratio(c.TreeBytes, c.GraphBytes),
	}
	return nil
}

func newGraph(g store.Graph) Graph { return Graph{g.Nodes, g.Edges, g.Messages, g.Sum()} }

func newRates(before, after store.Graph) Rates {
	return Rates{
		compactionRate(before.Nodes, after.Nodes), compactionRate(before.Edges, after.Edges),
		compactionRate(before.Messages, after.Messages), compactionRate(before.Sum(), after.Sum()),
	}
}

func compactionRate(before, after uint64) *float64 {
	if before == 0 {
		return nil
	}
	r := 1 - float64(after)/float64(before)
	return &r
}

func ratio(before, after uint64) *float64 {
	if after == 0 {
		return nil
	}
	r := float64(before) / float64(after)
	return &r
}

func (c *Compaction) print(w io.Writer) {
	t := newTable([]string{"before", "after", "compaction"}, "call graph", "before", "after", "compaction")
	row := func(name string, before, after uint64, r *float64) {
		t.row(name, Grouped(before), Grouped(after), percent(r))
	}
	part := func(name string, n uint64) { t.row("  "+name, "", Grouped(n), "") }
	row("nodes", c.Before.Nodes, c.After.Nodes, c.Rate.Nodes)
	row("edges", c.Before.Edges, c.After.Edges, c.Rate.Edges)
	part("in dictionaries", c.Dictionaries.Edges)
	part("tokens of slices", c.Tokens.Edges)
	row("ends of messages", c.Before.Messages, c.After.Messages, c.Rate.Messages)
	part("in dictionaries", c.Dictionaries.Messages)
	part("tokens of slices", c.Tokens.Messages)
	part("spanning, 2 each", 2*c.SpanningMessages)
	row("all", c.Before.All, c.After.All, c.Rate.All)
	row("all without tokens", c.Before.All, c.After.All-c.Tokens.All, c.RateWithoutTokens.All)
	fmt.Fprintln(w)
	t.write(w)
	c.printRatios(w)
}

func (c *Compaction) printRatios(w io.Writer) {
	t := newTable([]string{"before", "after", "ratio"}, "compressed call graph", "before", "after", "ratio")
	t.row("nodes", Grouped(c.Before.Nodes), Grouped(c.After.Nodes), ratioText(c.NodeRatio))
	t.row("memory", Size(c.TreeBytes), Size(c.GraphBytes), ratioText(c.MemoryRatio))
	fmt.Fprintln(w)
	t.write(w)
	fmt.Fprintf(w, compactionNotes, store.CallBytes, store.EventBytes, store.FieldBytes, Grouped(c.SpanningCalls))
}

func percent(r *float64) string {
	if r == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f %%", 100**r)
}

func ratioText(r *float64) string {
	if r == nil {
		return "-"
	}
	return fourDigits(*r)
}

// compactionNotes are the rules of counting.
const compactionNotes = `
Before: the call trees of all locations. A node is a call, or the root of a location with events; an
  edge leads to a call from the one around it, or from the root; an end is a send or receive.
After: what the file holds, all epochs and lanes. A node is a root, or a shape that holds a call or an
  end; an edge is a counted edge to a shape that holds a call, or a token: one from a location in one
  slice to such a shape; an end is a counted edge or token to a shape that holds ends and no call, and
  each spanning message has two more. Compaction is 1 - after/before, the ratio before/after.
Memory before: %d bytes for a node, %d + %d for each field of any other event. After: the blocks of
  dictionaries, models and slices, with all times and values.
Not counted: spanning calls (%s), an index of calls that are counted in their slices.
docs/compaction.md has more.
`
