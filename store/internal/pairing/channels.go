package pairing

import (
	"cmp"

	"github.com/pandotrace/pando/trace"
)

type ChannelKey struct {
	From, To          ProcessID
	Communicator, Tag uint64
}

// ProcessOf returns the process of a location; one that is not defined is a process of its own.
func ProcessOf(d *trace.Definitions, location uint64) ProcessID {
	p, ok := d.Process(location)
	return ProcessID{p, !ok}
}

// ProcessID names a process: a location group, or the location itself where no group is known.
type ProcessID struct {
	Id       uint64
	Location bool
}

// compare orders processes: location groups first, each by id.
func (p ProcessID) compare(o ProcessID) int {
	return cmp.Or(cmp.Compare(B2i(p.Location), B2i(o.Location)), cmp.Compare(p.Id, o.Id))
}
