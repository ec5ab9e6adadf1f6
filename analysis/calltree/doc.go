// Package calltree holds the structure of calls: which calls a call has inside of it, without times and other values.
//
// A [Forest] keeps each distinct call once, as a name and runs of the calls inside of it, whatever location or trace it comes from. Equal
// calls have equal numbers, so that comparing the structure of locations is comparing numbers. Package align pairs calls of a forest.
package calltree
