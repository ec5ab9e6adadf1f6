// Package gather puts the parts that ranks have in collective operations together to operations. On each communicator, ranks take part in
// operations in the same order: the n-th part of one rank belongs to the n-th of another. Where a trace lacks a part, that shifts all that follow;
// [Series] finds out by operations and times which part a rank lacks, or has in addition, and goes on behind it. Operations that do not block count in the
// order in which they are begun, which [Order] restores, since they may be completed in another one. [ShiftsOf] tells what that means for the
// numbers of a file's operations, so that those of a window are found by counting what lies before it.
package gather
