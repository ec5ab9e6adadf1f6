package pattern

import "github.com/pandotrace/pando/trace/topology"

// Class is a kind of pattern.
type Class uint8

const (
	// Silent is no message.
	Silent Class = iota
	// Line connects each rank to those before and behind it.
	Line
	// Ring is a line whose last rank is connected to the first.
	Ring
	// Star connects one rank to all others.
	Star
	// Tree connects rank i to (i-1)/Arity, or, if Arity is 0, to i without its lowest bit that is set: a binomial tree.
	Tree
	// Grid connects neighbours along each dimension.
	Grid
	// Torus is a grid whose ends meet in one dimension at least.
	Torus
	// Butterfly connects ranks whose numbers differ in one bit.
	Butterfly
	// All connects each rank to nearly each other one.
	All
	// Irregular is what no other class explains.
	Irregular
)

var classNames = [...]string{
	Silent: "silent", Line: "line", Ring: "ring", Star: "star", Tree: "tree", Grid: "grid", Torus: "torus", Butterfly: "butterfly", All: "all to all",
	Irregular: "irregular",
}

// String returns the name: "all to all".
func (c Class) String() string { return classNames[c] }

// Pattern is a class with its parameters, and how much of the messages it explains.
type Pattern struct {
	Class Class
	// Sizes are those of the dimensions of a grid or torus, the one first along which ranks follow each other. Wraps says of which the ends meet.
	Sizes []int
	Wraps []bool
	// Corners says that ranks are connected to those that lie diagonally, too.
	Corners bool
	// Wave says that ranks send along the grid when they have received: a pipeline or wavefront.
	Wave bool
	// Root is the rank in the middle of a star. Arity is the number of children in a tree, 0 for a binomial one.
	Root, Arity int
	// Messages and Bytes are the shares that it explains, from 0 to 1.
	Messages, Bytes float64
	// Topology is the Cartesian topology of the trace that a grid or torus lies on: sizes are those of its dimensions, in their order. It is nil where ranks are laid out in the
	// order of their numbers.
	Topology *topology.Topology
}
