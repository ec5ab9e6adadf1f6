// Package bitio codes single bits and numbers by probabilities that adapt to the bits before, and estimates what numbers cost in bits.
//
// A [Coder] writes or reads: its functions take what is to be written and return what was written or read, so that one function
// serves both directions. The pages of dictionaries are made of it (package shape). Costs are whole numbers of 1/256 bits, so that all
// machines make the same choices.
package bitio
