// Package pattern says which pattern the messages of a trace make: a ring, a grid, a torus, a wavefront over a grid, a butterfly, a tree, a star,
// messages between all. Ranks are those of MPI_COMM_WORLD, as they are numbered; a pattern among ranks that are numbered otherwise is irregular.
// Where the trace has a Cartesian topology with all ranks, it is tried first, and templates are steps on it.
//
//	Find      reads the messages of a window once
//	Traffic   what ranks send to each other, and in which order
//	Classify  the simplest class that explains the traffic
//	Result    the pattern, pairs of ranks, and templates: messages that are alike but for the rank that sends them
//
// The classes are those that MTF2 (metamodel of traces of parallel programs) stores as communication patterns. Here they are found.
package pattern
