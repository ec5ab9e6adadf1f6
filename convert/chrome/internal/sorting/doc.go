// Package sorting sorts records by group, time and rank, in memory up to a budget and beyond that on disk. Records of equal keys keep their
// order.
//
// [Threads] takes the records of threads, which mostly come in order, packs them, and gives those of one thread by a [Cursor]. [Sorter] takes
// records of any groups in any order and gives all of them. [Threads.Rerank] changes ranks of records that are sorted.
package sorting
