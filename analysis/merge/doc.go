// Package merge makes one call tree of the call trees of many locations, of one file or of several: the program's tree. Each node knows which
// locations have it, how often, and how their times are distributed.
//
// [Of] goes this way:
//
//	Source           a window of a file
//	calltree.Forest  the structure of all locations, each distinct call once; recursions spread
//	folded           the list of calls inside of a distinct call, with its loops folded
//	merged, column   distinct calls that stand at one place, their lists in line with each other
//	Node             the tree: merged calls, as often as they stand at different places
//	lane             the times of each location, whose events are followed in step with its calls
//
// # Repeats
//
// A node stands for all calls that take one place in the program. Calls of one name beside each other are one node, and so are calls that
// take the same place in the rounds of a loop: the list a b b a b c has the nodes a, b and c. A round need not have all calls of the others.
// What is inside of calls at one place is merged, whether they are of one location or of several. Lists that are too long or
// too irregular for that have a node for each name. Weber (2016, section 5.2) has a node for each call; see also his algorithm 7.
//
// # How lists are merged
//
// Calls whose lists have equal names are a class. Classes are put in line one after the other, the most typical one first: each with the
// columns that those before it have made, at the least cost of calls without a partner (progressive multiple alignment, Feng and Doolittle 1987). A
// gap stays a gap. Where a name stands more than once, the cost of aligning what is inside of the calls has a say: see package align.
//
// All of this is done once for each distinct set of distinct calls, whatever the number of locations and calls. The outcome does not depend on
// the order of locations and files, nor on how their events are stored.
//
// # Times
//
// Times are those of [calltree.Profile]: the part of calls that lies in the window. Exclusive times of all nodes add up to the time in calls.
package merge
