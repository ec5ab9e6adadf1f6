// Package calltree makes call trees of traces, with and without times.
//
// A [Profile] of a window has a node for each call path, with how often it was called and the time in it on each location; [Of] makes it.
//
// A [Forest] holds the structure of calls alone: which calls a call has inside of it. It keeps each distinct call once, as a name and runs of
// the calls inside of it, whatever location or trace it comes from. Equal calls have equal numbers, so that comparing the structure of
// locations is comparing numbers. Package align pairs calls of a forest.
//
// # Names
//
// Regions are one name on a path if their canonical names are equal, or their names where there is no canonical one; see [Names]. Regions
// that are hidden have no node: what they call stands below their callers.
//
// # Two ways to a profile
//
// With [Options.CountsOnly], structure alone is read. Counts go through the graph of shapes from the largest shape to the smallest: each pair
// of a shape and a node at which it stands is evaluated once, and counted edges multiply. No call is expanded, so that shapes of 2^60 calls
// take as long as others; counts saturate at 2^64-1.
//
// With times, the enters and leaves of the window are followed one after the other: times are values of their own, which no shape has.
// Both ways give equal counts.
//
// # Recursion
//
// Each level of a recursion is a node of its own, up to a depth (64 unless Options.Depth says otherwise). At or below that depth, a call of a
// region that is on its path already counts at the nearest node of that region on the path: levels of a deep recursion go round in a
// cycle of nodes. So a recursion has as many nodes as the depth, and not as it has levels, and each tick still belongs to exactly one node.
// Where paths take too much memory, Of tries smaller depths before it gives up; [Profile.Depth] is the one that was used.
//
// The inclusive time of a node is its exclusive time and that of all nodes below it. For paths without folded calls this is the time in which
// one of the node's calls is open.
package calltree
