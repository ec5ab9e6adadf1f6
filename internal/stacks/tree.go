package stacks

import (
	"io"
	"math"
	"slices"
)

// Tree is a call tree with values.
type Tree struct {
	// Title says which program, file and window it is of; Comments say more.
	Title    string
	Comments []string
	Frames   []Frame
	// Nodes are call paths, each after its parent.
	Nodes []Node
	// Columns are what there is of each node. The first one is the main one.
	Columns []Column
	// Duration is that of the window, in nanoseconds.
	Duration int64
	// Kinds are the colours that stand for kinds of frames in the legend of a picture.
	Kinds map[string]string
}

// Frame is a function.
type Frame struct {
	Name string
	// File and Line say where it is defined, empty and 0 if that is not known.
	File string
	Line int
	// Colour is a colour of CSS, Kind the kind of function that it is; both are for pictures.
	Colour, Kind string
}

// Node is a call path.
type Node struct {
	Parent int // -1 for outermost calls
	Frame  int
}

// Column is a value of each node.
type Column struct {
	// Name and Unit are "time" and "nanoseconds", or "calls" and "count".
	Name, Unit string
	// Values are those of nodes alone, without the nodes below.
	Values []int64
}

// Units that formats know.
const (
	Nanoseconds = "nanoseconds"
	Count       = "count"
)

// Format is a way to write a tree.
type Format struct {
	// Name names it, Suffix is how names of files end.
	Name, Suffix, Media string
	Doc                 string
	// Binary is true if it is nothing to be shown on a terminal.
	Binary bool
	Write  func(io.Writer, *Tree) error
}

var formats = []Format{
	{"folded", ".folded", "text/plain; charset=utf-8", "stacks with a weight in nanoseconds, for flamegraph.pl, inferno, difffolded.pl", false, WriteFolded},
	{"pprof", ".pb.gz", "application/vnd.google.protobuf+gzip", "profile for go tool pprof", true, WritePprof},
	{"speedscope", ".speedscope.json", "application/json", "profile for speedscope.app", false, WriteSpeedscope},
	{"hatchet", ".hatchet.json", "application/json", "literal for hatchet.GraphFrame.from_literal", false, WriteHatchet},
	{"svg", ".svg", "image/svg+xml", "flame graph for a browser", false, WriteSVG},
}

// Formats lists the formats.
func Formats() []Format { return slices.Clone(formats) }

// FormatNamed returns the format of a name.
func FormatNamed(name string) (Format, bool) {
	for _, f := range formats {
		if f.Name == name {
			return f, true
		}
	}
	return Format{}, false
}

// inclusive returns the sums of a column over subtrees. They saturate.
func (t *Tree) inclusive(column int) []int64 {
	sums := slices.Clone(t.Columns[column].Values)
	for n := len(t.Nodes) - 1; n >= 0; n-- {
		if up := t.Nodes[n].Parent; up >= 0 {
			sums[up] = plus(sums[up], sums[n])
		}
	}
	return sums
}

// plus adds numbers that saturate.
func plus(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return math.MinInt64
	default:
		return sum
	}
}

// children returns the nodes below each node, in order, and the outermost ones.
func (t *Tree) children() (below [][]int, roots []int) {
	below = make([][]int, len(t.Nodes))
	for i, n := range t.Nodes {
		if n.Parent < 0 {
			roots = append(roots, i)
		} else {
			below[n.Parent] = append(below[n.Parent], i)
		}
	}
	return below, roots
}

// stack appends the nodes of a path, the innermost first.
func (t *Tree) stack(dst []int, n int) []int {
	for ; n >= 0; n = t.Nodes[n].Parent {
		dst = append(dst, n)
	}
	return dst
}
