// Package mpe holds what the formats of MPE, CLOG-2 and SLOG-2, have in common: errors, the cargo of their events, states
// that nest or do not, and a log of definitions in the making.
package mpe
