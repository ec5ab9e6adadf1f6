// Package merged says where in the order of a slice, into which all its locations are merged, something stands. A [Mark] is such a place; a [Marker]
// chooses some of them, so that the slice can be put in order in parts, none of which has too much.
package merged
