package form

import (
	"io"

	"github.com/pandotrace/pando/trace"
)

// ReadLocal reads a stream of local definitions to its end.
func ReadLocal(s trace.Stream, location uint64, warn *trace.Warnings) (maps *Mappings, clock *trace.Clock, err error) {
	var b trace.Batch
	var last uint64 // time of the last clock offset
	for {
		err := s.Next(&b, 1)
		if err == io.EOF {
			return maps, clock, nil
		}
		if err != nil {
			return nil, nil, err
		}
		switch b.Kinds[0] {
		case trace.KindMappingTable:
			if maps == nil {
				maps = new(Mappings)
			}
			if !maps.add(b.Words) {
				warn.Add("unused mapping table", "type %d of location %d", b.Words[0], location)
			}
		case trace.KindClockOffset:
			if clock == nil {
				clock = new(trace.Clock)
			} else if b.Words[0] <= last {
				warn.Add("unused clock offset", "time %d after %d of location %d", b.Words[0], last, location)
				continue
			}
			last = b.Words[0]
			clock.Add(last, int64(b.Words[1]))
		}
	}
}
