// Package write makes a file in one pass.
//
//	Append -> pending events -> cut -> slice -> structure (shapes, tokens, values) -> match -> group -> encode -> blocks -> directory
//
// [Writer] takes batches of all locations and cuts slices. A slice is taken apart into shapes and values beside the writer. Three rooms
// below help: match finds the partners of messages, nodes keeps what spans slices until its node of the interval tree is complete, and
// sums makes the tables and bins of such a node. The backlog writes groups of slices in order, and the directory at the end. [Copy]
// writes a whole source.
package write
