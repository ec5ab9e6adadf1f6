// Package pairing finds which sends and receives of one slice belong together. A channel is a sender, a receiver, a communicator
// and a tag; within it, messages are received in the order in which they were sent. The writer, the reader and recovery use the
// same rules, so that matched messages need no entry in the file.
package pairing
