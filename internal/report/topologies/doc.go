// Package topologies tells which Cartesian topologies a trace has, and infers one from its messages.
//
//	List    those that are defined
//	Infer   the one that the messages of a window make, with the records that define it
package topologies
