package main

import (
	"context"
	"fmt"
	"io"

	"github.com/pandotrace/pando/store"
)

// compaction is how much smaller the graph of shapes is than the call trees. Rates are 1 - after/before, and ratios
// before/after; they are null where there was nothing before, or is nothing after.
type compaction struct {
	Before            graph    `json:"before"`
	After             graph    `json:"after"`
	Rate              rates    `json:"rate"`
	RateWithoutTokens rates    `json:"rate_without_tokens"`
	Roots             uint64   `json:"roots"`
	Dictionaries      graph    `json:"dictionaries"`
	Tokens            graph    `json:"tokens"`
	SpanningCalls     uint64   `json:"spanning_calls"`
	SpanningMessages  uint64   `json:"spanning_messages"`
	NodeRatio         *float64 `json:"node_ratio"`
	TreeBytes         uint64   `json:"tree_bytes"`
	GraphBytes        uint64   `json:"graph_bytes"`
	MemoryRatio       *float64 `json:"memory_ratio"`
}

type graph struct {
	Nodes    uint64 `json:"nodes"`
	Edges    uint64 `json:"edges"`
	Messages uint64 `json:"messages"`
	All      uint64 `json:"all"`
}

type rates struct {
	Nodes    *float64 `json:"nodes"`
	Edges    *float64 `json:"edges"`
	Messages *float64 `json:"messages"`
	All      *float64 `json:"all"`
}

func compact(f *opened) (*compaction, error) {
	bar := newProgress("counting shapes", "bytes", f.Info().FileBytes)
	defer bar.done()
	c, err := f.Reader.Compaction(context.Background(), bar.report)
	if err != nil {
		return nil, err
	}
	after := c.After()
	without := after
	without.Edges -= c.Tokens.Edges
	without.Messages -= c.Tokens.Messages
	return &compaction{
		Before: newGraph(c.Before), After: newGraph(after), Rate: newRates(c.Before, after), RateWithoutTokens: newRates(c.Before, without),
		Roots: c.Roots, Dictionaries: newGraph(c.Dictionaries), Tokens: newGraph(c.Tokens),
		SpanningCalls: c.SpanningCalls, SpanningMessages: c.SpanningMessages,
		NodeRatio: ratio(c.Before.Nodes, after.Nodes),
		TreeBytes: c.TreeBytes, GraphBytes: c.GraphBytes, MemoryRatio: ratio(c.TreeBytes, c.GraphBytes),
	}, nil
}

func newGraph(g store.Graph) graph { return graph{g.Nodes, g.Edges, g.Messages, g.Sum()} }

func newRates(before, after store.Graph) rates {
	return rates{
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

func (c *compaction) print(w io.Writer) {
	t := newTable([]string{"before", "after", "compaction"}, "call graph", "before", "after", "compaction")
	row := func(name string, before, after uint64, r *float64) {
		t.AppendRow([]any{name, grouped(before), grouped(after), percent(r)})
	}
	part := func(name string, n uint64) { t.AppendRow([]any{"  " + name, "", grouped(n), ""}) }
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
	fmt.Fprintf(w, "\n%s\n", t.Render())
	c.printRatios(w)
}

func (c *compaction) printRatios(w io.Writer) {
	t := newTable([]string{"before", "after", "ratio"}, "compressed call graph", "before", "after", "ratio")
	t.AppendRow([]any{"nodes", grouped(c.Before.Nodes), grouped(c.After.Nodes), ratioText(c.NodeRatio)})
	t.AppendRow([]any{"memory", size(c.TreeBytes), size(c.GraphBytes), ratioText(c.MemoryRatio)})
	fmt.Fprintf(w, "\n%s\n", t.Render())
	fmt.Fprintf(w, compactionNotes, store.CallBytes, store.EventBytes, store.FieldBytes, grouped(c.SpanningCalls))
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

// compactionNotes are the rules by which was counted.
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
