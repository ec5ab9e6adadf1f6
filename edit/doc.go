// Package edit makes traces out of traces. [Cut] takes a time window, or some locations, out of a file; [Select] leaves out what is not
// selected of any trace; [Concat] joins successive windows of one trace; [Merge] unites traces of different locations; [Coarsen] leaves out what is finer than a bound. Each result is a
// [trace.Source], which can be written in any format.
//
// Cut keeps calls and messages that cross the border of the window: it inserts their missing events at the border, each after a record
// KindCutBefore or KindCutAfter. Concat removes these events again, so cutting a trace and joining all pieces gives the same trace.
package edit
