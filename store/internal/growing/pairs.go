package growing

import (
	"math"
	"sort"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/query"
	"github.com/pandotrace/pando/store/internal/read"
)

// The blocks of the last group of a trace say which ends of messages belong together after the writer knew that nothing follows. Whether a group
// is the last one is not known before the file has its end. So of the ends that wait in the latest group, those are taken for paired that their
// marks do not call unpaired.

// blockPlace is a block of a slice.
type blockPlace struct {
	slice uint64
	lane  uint32
}

// pairs is what the blocks of the latest group say of ends of messages.
type pairs struct {
	marks map[blockPlace][]slice.PairMark
	found index.Info // what the messages come to that only the blocks tell
}

// begin begins with a group.
func (p *pairs) begin() { *p = pairs{marks: map[blockPlace][]slice.PairMark{}} }

// isUnpaired reports whether marks call an end unpaired.
func isUnpaired(marks []slice.PairMark, end uint32) bool {
	i := sort.Search(len(marks), func(i int) bool { return marks[i].Endpoint > end }) - 1
	return i >= 0 && marks[i].Skip == slice.Unpaired && end-marks[i].Endpoint < marks[i].Ends
}

// note notes the marks of a lane in a slice.
func (p *pairs) note(r *read.File, number uint64, lane uint32) error {
	marks, err := r.Marks(r.Root().GroupOf(number), lane)
	if err != nil {
		return err
	}
	p.marks[blockPlace{number, lane}] = marks.Of(number)
	return nil
}

// known reports whether an end is paired in its slice.
func (p *pairs) known(slice uint64, lane, number uint32) bool {
	marks, latest := p.marks[blockPlace{slice, lane}]
	if !latest {
		return false
	}
	return !isUnpaired(marks, number)
}

// settle looks for ends that wait, of the latest group, and whose blocks pair them.
func (p *pairs) settle(f *File, r *read.File) error {
	among := map[uint64]bool{} // slices
	waiting := map[index.End]bool{}
	if _, err := f.matcher.Pending(func(e index.End, lane, number uint32) bool {
		if p.known(e.Slice, lane, number) {
			among[e.Slice], waiting[e] = true, true
		}
		return false
	}); err != nil {
		return err
	}
	every := &read.MessageLanes{Lanes: r.AllLanes()}
	p.found = index.Info{}
	for number := range among {
		all, err := query.PairedMessages(r, number, every)
		if err != nil {
			return err
		}
		for i := range all {
			if s := &all[i].Send; waiting[*s] {
				p.found.Messages++
				if sum := p.found.MessageBytes + s.Length; sum >= s.Length {
					p.found.MessageBytes = sum
				} else {
					p.found.MessageBytes = math.MaxUint64
				}
				if all[i].Receive.Length > s.Length {
					p.found.SuspiciousMessages++
				}
				if all[i].Receive.Time < s.Time {
					p.found.BackwardMessages++
				}
			}
		}
	}
	return nil
}

// addTo adds the messages that only the blocks tell.
func (p *pairs) addTo(info *index.Info) {
	info.BackwardMessages += p.found.BackwardMessages
	info.Messages += p.found.Messages
	info.SuspiciousMessages += p.found.SuspiciousMessages
	if sum := info.MessageBytes + p.found.MessageBytes; sum >= info.MessageBytes {
		info.MessageBytes = sum
	} else {
		info.MessageBytes = math.MaxUint64
	}
}
