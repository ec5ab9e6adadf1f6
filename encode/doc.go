// Package encode is the guide to the packages below it, which turn the events and definitions of a trace into bytes and back. None of
// them knows of files.
//
//	records   definitions, auxiliary records, the trace as a whole; compressed blocks
//
//	slice     a block: the events of one lane in one slice of time
//	  |   \
//	  |    shape    structure: calls as a dictionary of counted subtrees
//	  |    |
//	  column        values: numbers by the statistics of their context, times as ticks of a clock
//
// Package content hashes structure, by the names of regions.
//
// A slice block has two parts. Its structure is what repeats: the order and nesting of the events, with their kinds, regions and
// peers, as counted references to shapes (shape.Token). Its values are what differs from event to event, times above all. They are
// coded column by column, each with the statistics of its context (column.Model), which many blocks share (slice.Statistics).
//
// An event on its way in passes through:
//
//	trace.Batch -> shape.Dictionary.Event   the leaf: its kind and structural fields
//	            -> shape.Folder             tokens: calls folded into shapes
//	            -> slice.Draft              leaves, times and values of a slice, until its group is complete
//	            -> slice.FitStatistics      the statistics of a group of slices
//	            -> slice.AppendBlock        bytes
//
// and on its way back through slice.Events.Decode, which expands tokens into leaves and decodes the values that these have.
package encode
