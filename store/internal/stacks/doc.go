// Package stacks follows the call stacks of slices.
//
// A slice has enters and leaves, package read keeps them as [read.CallSteps], with the shapes that its events are made of. [Follow] makes [Calls] of
// them. Calls that are open when the slice begins or ends are items of nodes of the interval tree. Where a window needs few calls of a slice,
// [Bounds] say which.
//
//	shape   main( f g( h ) )  a pattern: calls enter and leave at steps 0-7, 1-2, 3-6, 4-5; what each calls; how deep
//	times   of its steps      -> starts, ends, exclusive times, ordinals: a column after the other, in loops without a branch
//
// What is left are enters and leaves of calls that do not lie in one small shape: they go through a stack, one by one.
package stacks
