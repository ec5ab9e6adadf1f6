// Package write makes a file in one pass.
//
//	Append -> pending events -> cut -> slice -> structure (shapes, tokens, values) -> match -> group -> encode -> blocks -> directory
//
// [Writer] takes batches of all locations and cuts slices. A slice is taken apart into shapes and values beside the writer; the matcher
// finds the partners of messages; the summarizer adds up what nodes of the interval tree hold; the backlog writes groups of slices in
// order, and the directory at the end. [Copy] writes a whole source.
package write
