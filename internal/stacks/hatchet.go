package stacks

import (
	"bufio"
	"io"
	"strconv"
)

// WriteHatchet writes the literal that hatchet.GraphFrame.from_literal takes: a list of nodes with frame, metrics and children. Times are in
// seconds. Each column but counts has a metric for the node and one for its subtree, "time" and "time (inc)".
//
// Source: the documentation of Hatchet, hatchet.readthedocs.io.
func WriteHatchet(to io.Writer, t *Tree) error {
	h := hatchet{w: bufio.NewWriter(to), tree: t}
	for c := range t.Columns {
		h.sums = append(h.sums, t.inclusive(c))
	}
	below, roots := t.children()
	type level struct {
		nodes []int
		begun bool
	}
	levels := []level{{nodes: roots}}
	h.w.WriteByte('[')
	for len(levels) > 0 {
		l := &levels[len(levels)-1]
		if len(l.nodes) == 0 {
			levels = levels[:len(levels)-1]
			if len(levels) > 0 {
				h.w.WriteString("]}")
			}
			continue
		}
		n := l.nodes[0]
		l.nodes = l.nodes[1:]
		if l.begun {
			h.w.WriteByte(',')
		}
		l.begun = true
		h.node(n)
		levels = append(levels, level{nodes: below[n]})
	}
	h.w.WriteString("]\n")
	return h.w.Flush()
}

// hatchet is a literal that is being written.
type hatchet struct {
	w    *bufio.Writer
	tree *Tree
	sums [][]int64 // by column
}

// node writes a node up to its children.
func (h *hatchet) node(n int) {
	h.w.WriteString("\n{\"frame\":{\"name\":")
	h.w.Write(jsonText(h.tree.Frames[h.tree.Nodes[n].Frame].Name))
	h.w.WriteString(`,"type":"function"},"metrics":{`)
	for i := range h.tree.Columns {
		if i > 0 {
			h.w.WriteByte(',')
		}
		c := &h.tree.Columns[i]
		h.metric(c.Name, c.Unit, c.Values[n])
		if c.Unit != Count {
			h.w.WriteByte(',')
			h.metric(c.Name+" (inc)", c.Unit, h.sums[i][n])
		}
	}
	h.w.WriteString(`},"children":[`)
}

func (h *hatchet) metric(name, unit string, v int64) {
	h.w.Write(append(jsonText(name), ':'))
	if unit == Nanoseconds {
		h.w.Write(strconv.AppendFloat(nil, float64(v)/1e9, 'g', -1, 64))
	} else {
		h.w.Write(strconv.AppendInt(nil, v, 10))
	}
}
