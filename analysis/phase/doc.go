// Package phase divides the time of a trace into phases by the structure of its calls: loops, and what is before, between and behind them.
//
//	Find    finds the loop that covers most of a window, and then others in what that leaves
//	Phases  says to which phase a time of a location belongs: each location begins a phase when it is there itself
//
// A loop is what package segment finds: calls of a region that repeat, or a group of calls without a region of their own, which are counted edges of
// the graph of shapes. The prior art is MTF2 (metamodel of traces of parallel programs), whose patterns belong to phases.
package phase
