// Package cluster finds out which locations are alike by what they call, so that a user who cannot look at ten thousand rows looks at seven.
//
// [Find] reads the structure of windows of one file or several, and puts locations into groups: those that call the same regions, or the same
// pairs of regions, have the same call paths, and so on, up to the same calls and messages in the same order ([By] is this ladder). Groups
// are merged if their locations are similar enough. Each [Group] has a name ([Rule], "every 4th rank": a predicate that holds for its members and
// no other location), a representative, and what it has that the others lack. [Clusters.Lattice] orders what locations have in common.
//
// # How it is found
//
// Each closed shape of the graph of shapes is looked at once, in the order of their numbers: a set of regions is a number, since each set is kept
// once; so is a set of pairs, and a tree of call paths. What a call has is made of what is inside of it, and what neighbours have together is the
// union of theirs, remembered by the two numbers. Times in a row count for nothing. A location is then followed token by token. No call is
// expanded, so that shapes of 2^60 calls take as long as others. Events are followed only in slices that a window cuts, and by messages where
// the peers of messages are not part of the structure.
//
//	store.Window.Structure -> shapes (traits, counts, strings of closed shapes) -> place (a location) -> kinds -> groups -> rules, features
//
// # What equal means
//
// Functions, pairs, contexts and calls are compared by content: sets and lists are interned, and two are equal if all of their elements are.
// Trees are compared by the length of the string of their enters and leaves and its polynomial hash under two bases of 61 bits that are drawn at
// random for each process (package content). Who makes a file cannot know the bases; two different trees of n calls have equal hashes
// with a chance of about n/2^121.
//
// The calls are those of package calltree: a leave closes the nearest call of its region and those inside of it, a leave without a call is none,
// calls that a window cuts are calls as others are. Regions are equal if their names are.
//
// Weber, Structural Performance Comparison of Parallel Software Applications (2016), chapter 5, has groups by pairs, and their lattice.
package cluster
