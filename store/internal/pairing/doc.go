// Package pairing finds which sends and receives of one slice belong together. A channel is a sender, a receiver, a communicator
// and a tag; within it, messages are received in the order in which they were sent. The writer, the reader and recovery use the
// same rules, so that a message whose ends lie in one slice needs no entry in the file. Messages that span slices are items.
package pairing
