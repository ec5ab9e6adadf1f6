// Package align finds out which calls of two locations belong together, by the structure of their calls alone.
//
// Calls are those of a [calltree.Forest]. An [Aligner] answers for pairs of calls, such as the roots of two locations, at one of four levels:
//
//	Names  children are paired by their names, without a look inside (Weber 2016, Algorithm 2)
//	Tree   whole calls come or go: the least cost among alignments that keep levels (Selkow 1977, with renaming)
//	Wrap   calls that stand around others may come or go as well (Zhang's constrained edit distance, 1996)
//	Flat   enters and leaves as one sequence, nesting ignored (Needleman and Wunsch 1970)
//
// # Costs
//
// Calls have two events, their enter and their leave. An event that is of another region on the other side costs 3, one that is lacking
// there costs 2; so a renamed call costs 6, and a call that one side lacks costs 4. That is Weber's score (match +2, mismatch -1, gap -1)
// turned around: with M and N events, the score is M + N - cost.
//
// # How a pair is aligned
//
//	equal calls             cost 0, whatever is inside
//	equal ends of the lists are left out
//	the bags of both sides  give a lower bound
//	a table over the rest   gives the cost; a cell asks for a pair of calls only if that can still win
//	too large a table       the best of several candidates, and the interval from the lower bound to it
//
// Costs of pairs are kept, so that calls that occur many times are aligned once, and all pairs of many locations share them. Deep trees
// need no deep stack.
package align
