// Package waits finds where locations wait for each other, who made them wait, and the critical path of a window. [Of] does both.
//
// # Waits
//
// A [Wait] is the time that a call waits for another location. The rules are those of Scalasca (M. Geimer et al., "The Scalasca performance toolset
// architecture", Concurrency and Computation 22, 2010), with enters and leaves of calls of communication:
//
//	late sender     a call that receives a message, or completes its receive, waits until the call is entered that sends it
//	late receiver   a call that sends waits until the call is entered that posts the receive: if it is left later. A send that was left before has
//	                not waited; its message was buffered. For a send that does not block, that is the call that completes it. A call
//	                that also waits for a later sender has not waited for the receiver, as far as is known
//	barrier,        each location waits until the last one has entered
//	all to all
//	late root       a broadcast or scatter: all others wait until the root has entered
//	early root      a reduction or gather: the root waits until the last one has entered. (Scalasca counts up to the first one.)
//	early scan      a location waits until the last one of those of smaller rank has entered
//
// A wait begins with the enter of the call, and ends with its leave at the latest. A call waits once: if it completes several messages, until the last
// of them, and the sender of that one is its cause. [Lateness] counts each message.
//
// Clocks of locations may disagree, so that a message seems to be received before it was sent. Such a wait ends with the leave of the call, and is marked:
// it is an upper bound. [Counts] says how many there are.
//
// # Critical path
//
// The path begins with the last event of the window, and goes back on its location to where a wait ended there; it goes on, at that instant, on the
// location that was the wait's cause, and so on to the begin of the window. So at each instant it is on one location: its pieces, the [Step]s, cover the
// window once. Shortening what lies on it may shorten the run; shortening anything else only makes others wait longer.
//
// # How it works
//
//	parts of the window     on all processors: calls without messages inside fall out (part)
//	flow                    in order: stacks of calls, messages and operations under way; a call that was left, and whose partners are known, is settled
//	spool                   waits, in the order in which they become known; in a file if they are many
//	backward                from the last wait to the first: steps of the path
//	walk                    forward again, through the calls that the steps lie in: stretches and shares
//
// Memory is bounded by [Options].Memory: it is for what is under way at one time, and for sums by call path. What lies in a window depends on its bounds alone,
// not on how the file is divided, nor on the number of processors: more is read at both ends if calls or messages are under way there.
package waits
