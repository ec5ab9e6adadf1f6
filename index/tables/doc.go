// Package tables has the summaries that nodes of the interval tree keep: sums over the slices below a node, so that questions about long
// windows need not read these slices.
//
// A node has two kinds of tables for each lane. A table that would not be small against the slices below is left out.
//
//	Summary   by run of children: calls, messages, collective operations, sends and receives, counters
//
//	            run 0     run 1     run 2          children [0,step) [step,2·step) ...
//	  key A   count,sum count,sum count,sum        a key names location, region, communicator ...
//	  key B   count,sum     -     count,sum
//
//	Bins      by cell of time: how the locations divided their time among regions
//
// A writer adds up the rows of slices as vectors ([Vector], packed while they wait: [PackedVector]), and makes a [Table] of the vectors
// of the runs of a node; a [MetricTable] does the same for counters. A [BinGrid] adds up time in cells, which it widens as the node
// becomes longer; a [BinSum] is what it comes to, and can be joined with that of the next child.
//
// A reader adds up the vectors of the runs that lie in a window ([Table.Sum], [Table.Vector]) and reads the slices at its ends.
//
// The bytes are described at the heads of summary.go, summary_table.go, summary_columns.go, summary_samples.go and bins.go.
package tables
