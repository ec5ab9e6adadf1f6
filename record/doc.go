// Package record lets a running program write its own trace, in a fixed budget of memory.
//
// A [Recorder] maps one file, the recording, and never grows it. Its memory is divided into bins; calls of like duration share bins.
// When no bin is left, the bins of the shortest calls are given up (mode [Keep]), so that what remains is each call of at least some
// duration, over the whole run; or calls of the deepest levels, of some regions, or the latest of each region ([Reduction]). Of the iterations
// of a loop, some may stand for the others ([Phases]). A flight recorder (mode [Last]) gives up the oldest bins instead, and [Recorder.Snapshot] saves
// what is there while the program goes on. Calls with a message or another event inside go last. A profile counts every call, kept or not.
//
// Events are recorded through a [Location], which belongs to one goroutine at a time; [With] and [In] carry it in a context. An event
// costs some nanoseconds: no lock, no system call, no allocation. The program that is recorded is never stopped by the recorder: what
// cannot be kept is counted.
//
// The file is valid at any moment, also after SIGKILL. spec/recording describes it, convert/recording reads it, and pando convert makes
// a Pando file of one recording, or of a folder of them, one for each process.
//
// Literature: M. Wagner, W. E. Nagel: Strategies for Real-Time Event Reduction. Euro-Par 2012 workshops.
package record
