// Package check finds what is wrong with what a trace says of its program: calls that are not left, messages that nobody receives, collective
// operations that not all ranks take part in, requests that are never completed, clocks that disagree. Whether a file is sound is another
// question: see store.Verify.
//
//	Of        checks any trace.Source: a Pando file, or an archive of another format as it is
//	Rule      a family of conditions; Code is one condition, which has a severity
//	Finding   one event that breaks a condition, with what is known of it
//	Result    the first findings of each condition, and how many there are of each, by location
//
// # How it works
//
// The streams of all locations are read once, in step. Each location has a lane, which checks what concerns it alone, batch by batch: calls,
// requests, pairs, metrics, references. Sends, receives and collective operations go on to a queue, which gives them to the matching of
// messages and of collective operations in the order of time, as far as all locations are read. What lies around a finding, the calls that are
// open there, is read for a second time, for those findings alone that are kept.
//
// # Caveats
//
// A trace that was cut, or whose program was killed, has ends that are missing for good reason: what is unmatched there is a note, no error. So is a
// message of which one process has no events in the trace, since only some locations were kept.
// Memory grows with the messages and operations under way at one time, not with the trace; a receive that is never completed keeps those posted
// behind it waiting, see [Options].Waiting.
package check
