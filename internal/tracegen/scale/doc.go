// Package scale makes traces of any length and width out of a short real one, the base, for measuring how the engine bears
// them. The base stays in memory, what is played of it is made while it is read.
//
// A part of the base, the body, is repeated, and all locations may stand side by side several times. The structure is the
// base's: kinds and words of events are the same, but for ids that each copy has for itself, and for numbers of requests and
// counters, which go on rising. Auxiliary streams are left out.
//
// The times are drawn anew, so that values are no more repetitive than those of the base:
//
//   - How far an event is from the one before it is drawn from the distances that the base has between events of the same kinds
//     and regions. Distances are whole ticks of the base's clock, and times lie on the clock's lattice, each location with its
//     own phase.
//   - Events after a long distance are pulled to where the base has them, more or less. So locations do not drift apart.
//   - A send comes not after the middle of its message, a receive not before it: between a send and its receive the order
//     is that of the base.
//   - Now and then all locations are delayed alike.
//
// Each location draws for itself: its events do not depend on when and how others are read.
package scale
