// Package content hashes the structure of calls: what was called in which order, without times and other values.
//
// The structure of a location is a string E, which has a symbol for each enter and each leave: the name of the region, and which of the two it
// is. A [Hash] is that of such a string, as a polynomial modulo 2^61-1 under two bases. Hashes of strings that follow each other are joined in
// constant time, and a string n times in a row takes O(log n). So the hash of a location is a fold over its tokens ([Shapes]), whatever way the
// events were divided into slices, lanes and epochs, and folded into shapes; calls that a slice cuts need no care, as E has no nesting.
//
// The bases are [Fixed] for hashes that are stored, and drawn at random else. Who knows the bases can make different strings with equal hashes:
// a stored hash of a file from a stranger is a hint.
package content
