// Package column turns numbers into few bytes and back, by the statistics of the context that each number stands in.
//
// A [Builder] takes the values of the blocks that will share a [Model], and makes it: for each context a table of bins, ranges of
// numbers with a common symbol. [Model.Encode] writes a block, all values of a context together; symbols are entropy coded (rANS), and
// the value's offset in its bin follows as plain bits:
//
//	values of a context   3 3 4 3 950 3 3 4 ...
//	bins of its table     [3] [4] [512, 1024)          by frequency
//	block                 symbols 0 0 1 0 2 0 0 1 ... | offsets 950-512
//
// A chain ([Model.AppendChain]) codes values where each one is the context of the next.
//
// Times that lie on the lattice of a clock, as multiples of a [Period] after a [Phase], are coded as numbers of ticks.
//
// The bytes are described at the heads of bins.go, rans.go, values.go, model.go and chain.go, from where the specification takes them.
package column
