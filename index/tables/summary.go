package tables

import (
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
)

// # Summaries
//
// The children of a node are divided into runs of `step` consecutive ones, the last run perhaps shorter. A vector is what all
// that is contained in a run adds up to: calls and messages both of whose ends lie in its slices, and events. So what a
// window adds up to is the sum of the vectors of the runs that lie in it, and of what is contained in no such run. A table
// holds the vectors of the runs of one node and one lane.

// Part is what a table counts.
type Part uint8

// The parts stand in a block of summaries in this order.
const (
	// Calls have the key location, region, and four sums: number, durations, durations of those nested in a call of the
	// same region, durations of those whose enclosing call is of the region (that call may lie outside of the run).
	Calls Part = iota
	// Messages have the key sending location, receiving location, and two sums: number, bytes sent. A lane has those
	// with an end on one of its locations.
	Messages
	// Collectives have the key location, operation, communicator, and three sums: number, bytes sent, bytes received.
	Collectives
	// Metrics have the key location, metric, place among the values, type; see [Samples].
	Metrics
	// Parts is the number of parts.
	Parts
)

// Key names a line of a table: locations by their index in the trace, all other things by their ids. Words that a part does not
// use are 0.
type Key [4]uint64

// Compare orders keys word by word.
func (k *Key) Compare(o *Key) int {
	for i, v := range k {
		if v != o[i] {
			if v < o[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// Summary is a block of summaries: the tables of one node and one lane.
type Summary struct {
	Node index.Node
	Lane uint32
	// Sections are tables as bytes, empty for parts that the block says nothing of.
	Sections [Parts][]byte
	// Extensions are bytes of extensions: tables that this package does not know.
	Extensions []byte
}

// Append appends the block's bytes:
//
//	uvarint  level
//	uvarint  index of the node in its level
//	uvarint  lane
//	bytes    table of calls
//	bytes    table of messages
//	bytes    table of collective operations
//	bytes    table of metrics
//	rest     extensions
func (s *Summary) Append(dst []byte) []byte {
	dst = format.AppendUvarint(dst, uint64(s.Node.Level))
	dst = format.AppendUvarint(dst, s.Node.Index)
	dst = format.AppendUvarint(dst, uint64(s.Lane))
	for _, table := range s.Sections {
		dst = format.AppendBytes(dst, table)
	}
	return append(dst, s.Extensions...)
}

// Empty reports whether the block says nothing.
func (s *Summary) Empty() bool {
	for _, table := range s.Sections {
		if len(table) > 0 {
			return false
		}
	}
	return true
}

const summarySection = "summary block"

// ReadSummary reads a block of summaries up to its tables, whose bytes are those of b.
func ReadSummary(b []byte) (s *Summary, err error) {
	r := format.NewDecoder(summarySection, b)
	s = &Summary{Node: index.Node{Level: r.Int(64), Index: r.Uvarint()}, Lane: uint32(r.Int(1 << 32))}
	for part := range s.Sections {
		s.Sections[part] = r.Bytes()
	}
	s.Extensions, err = r.FinishExtended()
	return s, err
}
