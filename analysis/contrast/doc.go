// Package contrast finds out what became slower between two runs: it pairs the calls of two windows by their structure, and compares the
// times of each pair.
//
// The windows may be of two files, or of one. [Compare] goes this way:
//
//	Side                    a window of a file
//	calltree.Forest         the structure of both, each distinct call once; names that both have, recursions spread
//	pairs of locations      by rank, by name, by order, or by likeness; see [Match]
//	align.Aligner           segments: which events of a pair of locations belong together
//	lane, pairing           the times of both sides, read in step; a call of A meets its partner of B
//	Comparison              sums by call path and by location, series over time
//
// # The law of ticks
//
// With T the time in calls, and exclusive times everywhere:
//
//	T(B) - T(A) = sum over pairs (B - A) + sum of calls only in B - sum of calls only in A
//
// holds exactly, in each location, region and sum (calls that were aligned with those of another region are calls of one side alone): a table of differences explains the whole difference (Weber 2016, section 4.4, has pairs alone).
//
// # Noise
//
// Two runs of the same program differ in each call. [Comparison.Findings] says what is judged to be more than that, and how.
package contrast
