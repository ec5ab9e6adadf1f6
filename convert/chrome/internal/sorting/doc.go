// Package sorting sorts records by group, time and rank, in memory up to a budget and beyond that on disk. Records of equal keys keep their
// order.
package sorting
