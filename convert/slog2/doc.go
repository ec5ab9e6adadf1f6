// Package slog2 reads SLOG-2, the files that Jumpshot draws, as its converters make them: states, arrows and events, each
// with its times, in a tree of bounding boxes.
//
//	header      version, children per node, sizes | places of the blocks below
//	tree nodes  earliest, latest time | id | place | arrows and events | states | previews of the children
//	drawable    00 | category | cargo | vertices, each a float64 in seconds and a line
//	categories  names, colours, and what the cargo means
//	line maps   process, thread, communicator and rank of each line
//	directory   id, times and place of each node, from the root down
//
// All is big-endian. Previews are not read: they follow from the rest. [Open] gives a file as a [trace.Source]: states that
// nest are calls, others are intervals; see [mpe.Nesting]. Arrows with tag and size are messages; others, and those that
// overtake another one of the same channel, keep their ends' numbers. Times come back as the same float64 values; see
// [mpe.SecondsClock].
//
// A node holds its drawables in the order in which they start, and so do all nodes of a level, one after the other. So
// the nodes on the way from the root to a leaf, merged, give everything in order, and only they are in memory. The file
// is read three times: for its lines, for clocks and states that do not nest, and for the events, of which streams
// share the pieces that were read last.
package slog2
