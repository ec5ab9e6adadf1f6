// Package index finds things in a file: the tree of time intervals over the slices, what spans several of them, and
// the directory of blocks.
//
// Slices are the leaves of the tree. A node of level n has fanout^n slices below it and is written as soon as the last
// of them is, in postorder; the number of levels need not be known before. A call or message that crosses the borders
// of slices is kept, whole, in the smallest node that contains it (Chan, Gropp and Lusk's SLOG-2): so the nodes on
// the way from the root to a slice hold everything that is going on when the slice begins. A block of such items is divided into parts:
// a reader opens its head ([Tree.CallsOf], [Tree.MessagesOf]), and reads and decodes the parts that have items of its slices
// ([Block.AppendRead]).
//
// The package works on bytes and numbers; it never opens a file.
package index
