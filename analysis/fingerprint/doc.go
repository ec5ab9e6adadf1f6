// Package fingerprint tells whether locations have the same structure: whether they called the same regions in the same order, whatever
// it took them.
//
// [Of] hashes the structure of the locations of a window. The hash is that of package content: of the string of the enters and leaves
// between the window's ends, by the names of regions. It does not depend on how a file was divided into slices, lanes and epochs, on how
// calls were folded, on the numbers that regions have, or on the format that the trace came from. So locations of one file or of two are
// compared by comparing two hashes.
//
// [Compare] compares two windows location by location, and [FirstDifference] finds where they part. Files that were written with
// store.Options.Hashes are compared by what they say of themselves: a few blocks, however many events they have. A window that cuts slices
// adds the events of these. Then the difference is found by bisection over both trees of intervals: where the slices of one file end at other
// calls than those of the other, the tokens of a slice fill the gap. See [Options].Distrust for files that may lie.
//
// Messages are no part of it. Package cluster has hashes of calls with messages, in which a message is the distance of its peer, as ranks of one
// communicator; tags and lengths are data. They are not stored: distances are part of shapes only where a slice's statistics make them so, and are
// otherwise found in the events.
package fingerprint
