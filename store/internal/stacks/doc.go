// Package stacks follows the call stacks of slices.
//
// A slice has enters and leaves, package read keeps them as [read.CallSteps]. [Follow] makes calls of them: [Rows], one
// after the other. Calls that are open when the slice begins or ends are items of nodes of the interval tree. Where a window needs few
// calls of a slice, [Bounds] say which: the others have no rows.
package stacks
