// Package clusters writes which locations of traces are alike, as package cluster of analysis finds it: as text for people, as JSON, and as tables.
//
// A [Report] has the groups, made by [New]; a [LatticeReport] what locations have in common, also in the language of Graphviz. Groups have
// numbers from 1, which selectors of locations know (@group:2).
package clusters
