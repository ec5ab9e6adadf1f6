// Package text stores texts: as they are, or as zstd frames, with a dictionary where many of them are alike.
//
// A [Text] is a text as it is stored: [Read] looks at its head alone, so that who does not want the text does not unpack it. [Pack] stores
// the texts of a group, and chooses the form of each and the [Dictionary] that they share by the bytes that they take.
package text
