// Package sums adds up what the tables and bins of nodes of the interval tree hold, while slices are taken apart.
//
//	calls of a location -> Tally -> nodes.Totals -> Summarizer -> tables of a node
//	                    -> Bins  -> BinSum       -> BinTree    -> bins of a node
//
// A [Tally] adds up the calls, collective operations and metric values of a location's part of a slice. What is complete within a slice
// goes to the node of level 1, a spanning call to the node that it is an item of. When a node is complete, the [Summarizer] makes its
// tables of that and of what its children came to. [Bins] divides the time of a lane's locations among regions, in cells of some ticks;
// the [BinTree] joins those of children for the nodes above. [LaneHashes] are of what the locations of a lane call in which order, if they are
// asked for; the [HashTree] joins those, too.
package sums
