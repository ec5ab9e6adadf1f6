// Package stacks writes call trees with values in the formats of programs that show profiles: folded stacks, pprof, speedscope, Hatchet, and
// as a flame graph in SVG.
//
// A [Tree] has frames (functions), nodes (call paths) and columns of values. A value belongs to its node alone, without the nodes below:
// formats that want sums over subtrees get them. Several columns are for profiles of several quantities, or of several runs and their
// differences. [Formats] lists the formats; each is a function from a Tree to bytes, which depend on the tree alone.
package stacks
