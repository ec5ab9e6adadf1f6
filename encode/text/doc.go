// Package text stores texts: as they are, as zstd frames, with a dictionary where many of them are alike, or as phrases with numbers between them.
//
// A [Text] is a text as it is stored: [Read] looks at its head alone, so that who does not want the text does not unpack it. [Pack] stores
// the texts of a group, and chooses the form of each and the [Dictionary] that they share by the bytes that they take.
//
// Logs of programs repeat their words, with other numbers. [PackPhrases] cuts such a text up, and codes what stands at each of its places by itself:
//
//	text     "rank 3 sends 64 bytes\nrank 5 sends 64 bytes\n"
//	phrases  0 "rank "   1 " sends "   2 " bytes\n"             the list of those that differ
//	row      0 1 2 0 1 2                                       coded by what stands before each
//	numbers  behind 0: 3 5     behind 1: 64 64                 coded place by place
package text
