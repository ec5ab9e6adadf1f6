// Package shapes divides the calls of a window into classes of like calls, says how long calls of each class take, and finds the calls that are
// unusual for their class.
//
// # Classes
//
// Calls are alike if they are of one region and have like calls directly inside of them, in the same order of first occurrence. How often these are
// repeated makes no difference: a loop of 3 rounds and one of 5 are alike. A call directly inside of a call of the same region counts as its
// region alone, so that the depth of a recursion of one region makes no difference either. Of the calls inside, the first 64 kinds count.
//
// A window can have more classes than memory holds. Then calls are compared by the regions directly inside of them, and where these are too many,
// by region alone; [Answer.Level] says which. The classes depend on nothing but the trace and the memory: not on slices, lanes, epochs or
// the number of processors.
//
// # How they are found
//
// Durations are read event by event, so classes are found on the way: what a call has had inside so far is a state of an automaton, and a call that ends
// inside of it moves it on. A state is a class once a call ends in it. Moves are looked up in a small table without hashing of text or
// allocation; loops stay in one state.
//
// # Unusual calls
//
// A call is judged by its exclusive time, its duration without the calls inside: a delay is blamed on the innermost call that has it, and a loop
// with more rounds is not slow. It is unusual if that differs from the median of its class by more than 5 median absolute deviations (of at
// least one tick), and the class has at least 8 calls. A call of a class with fewer calls is rare if they are at most a hundredth of the calls
// of its region; it is judged by the region's largest class. Calls that wait for others say who suffers from a delay and not who has it:
// they are left out unless Options.Waits is set.
package shapes
