// Package nodes holds what is added to nodes of the interval tree until these are complete: calls and messages that span slices ([Items]),
// and what lies in runs of a node's children, for its tables ([Totals]). What takes slices apart has a [Lane] for each lane of locations
// with the calls, and what matches messages has another with the messages; they are joined when the node is complete.
package nodes
