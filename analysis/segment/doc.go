// Package segment cuts the time of locations into segments that repeat, and finds where time is lost: which location is late in which
// segment, once or again and again.
//
// [Find] reads the structure of a window first, by the graph of shapes, and learns what repeats: regions, and groups of calls that have no
// region of their own, the bodies of loops. These are the candidates. Then it follows the enters and leaves of all locations once with their
// times. An [Analysis] has the candidates in order, and the segments of one of them: by default of the one that covers most. [Analysis.Judge]
// compares the segments and returns findings; [Analysis.Where] reads the two segments of a finding once more, and tells in which calls the time
// went.
//
// # SOS time
//
// The SOS time of a segment (for synchronisation-oblivious segment, Weber 2016) is its duration less the synchronisation inside. Locations that
// meet in each segment have equal durations, since those that are early wait: SOS times tell which one the others wait for. What
// synchronises follows from paradigms and roles of regions, see [trace.RegionClass.Synchronises]; names count only where a format has neither.
// Tasks that run inside of a barrier are work. Time outside of all calls is none.
//
// # Candidates
//
// The segments of a region are its outermost calls: a call inside of another one of the region is part of that segment. A group is a call
// that occurs again and again directly inside of the calls of a region (or outside of all calls), with the same calls behind it each time: the
// names of the calls between two occurrences are the body, and at least three quarters of the bodies look as another one does. A segment
// of a group lasts from one occurrence to the next, the last one to the end of the last call of the body. So what the region around does
// between the calls belongs to the segments.
//
// Where the body is one call and the region around repeats itself, there is no group: its segments would be neither coarser nor finer.
//
// A candidate has at least [Repeats] segments on most locations where it occurs. It covers the SOS time of its segments; for groups only that
// in the calls of the body and between them counts, so that a call at a few places of a program, with everything else in between, is no
// loop. Of candidates whose coverage differs by less than 1 %, the coarser one comes first.
//
// # Equal numbers
//
// Segments of equal number on different locations are compared. Numbers count from the begin of the trace, whatever the window. Segments that
// begin or end outside of the window are left out, and so are calls that are never left. Clocks of different locations are never compared.
package segment
