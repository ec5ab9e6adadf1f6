// Package shape stores the structure of calls: each different subtree of calls once, as a shape.
//
// A [Dictionary] holds the shapes of one lane of locations in one epoch. A shape is a leaf (an event without its values), a list of
// counted edges to earlier shapes, or a recursion: a list that contains itself, so that its depth is a number, too.
//
//	events             enter A, enter B, leave B, enter B, leave B, leave A
//	leaves             0: enter A   1: enter B   2: leave B   3: leave A
//	shapes             4: (1 x1, 2 x1)           the call of B
//	                   5: (0 x1, 4 x2, 3 x1)     the call of A
//	tokens             5 x1
//
// The way in: [Dictionary.Event] finds the leaf of an event, and a [Folder] folds the events of one location into tokens, the counted
// shapes that its part of a slice consists of. [PageWriter] writes what the dictionary gained. The way back: [Dictionary.AddPage] reads
// pages, and [Dictionary.Expand] turns tokens into leaves.
//
// An edge leads to a shape of smaller number, so the graph has no circle, and sizes are known by arithmetic before anything is
// expanded: a shape may have more events than any memory holds.
//
// A field with a new content at nearly every event would make a new shape each time. [Dictionary.Demotions] finds such fields, and the
// next epoch stores them as columns of values ([Dictionary.Demote]).
package shape
