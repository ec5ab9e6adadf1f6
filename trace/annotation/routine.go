package annotation

import (
	"errors"
	"fmt"
	"math"
)

// Routine is a pattern of calls: what is repeated, how often, by whom.
type Routine struct {
	// Steps are the calls of one repetition, in order.
	Steps []Step
	// Least and Most are how often it is repeated on the locations that have it.
	Least, Most uint64
	// Share is the time of all repetitions, in millionths of that of all locations in the window.
	Share uint32
	// Locations are the ids of those that have it, in ascending order.
	Locations []Span
}

// Step is calls of a region that follow each other. A region stands here by its name: ids are those of one trace. Count is 0 where
// it differs, or is not known.
type Step struct {
	Region string
	Count  uint64
}

// Span is numbers from the first to the last.
type Span struct{ First, Last uint64 }

// Whole is the share of all of the time.
const Whole = 1_000_000

// MostSteps is the largest number of steps of a routine.
const MostSteps = 1 << 12

// Spans returns ids, which are in ascending order, as spans.
func Spans(ids []uint64) (list []Span) {
	for _, id := range ids {
		if n := len(list); n > 0 && list[n-1].Last+1 == id {
			list[n-1].Last = id
			continue
		}
		list = append(list, Span{id, id})
	}
	return list
}

// Count returns the number of locations, at most 2^64 - 1.
func (r *Routine) Count() (n uint64) {
	for _, s := range r.Locations {
		more := s.Last - s.First
		if more >= math.MaxUint64-n {
			return math.MaxUint64
		}
		n += more + 1
	}
	return n
}

// check returns an error if a routine is not as files have it.
func (r *Routine) check() error {
	switch {
	case len(r.Steps) == 0 || len(r.Steps) > MostSteps:
		return fmt.Errorf("a routine of %d steps", len(r.Steps))
	case r.Least == 0 || r.Most < r.Least:
		return fmt.Errorf("a routine that is repeated %d to %d times", r.Least, r.Most)
	case r.Share > Whole:
		return fmt.Errorf("a routine that takes %d millionths of the time", r.Share)
	}
	for _, s := range r.Steps {
		if len(s.Region) > MostBytes {
			return errors.New("a step of a region whose name is too long")
		}
	}
	for i, s := range r.Locations {
		if s.Last < s.First || i > 0 && (s.First <= r.Locations[i-1].Last || s.First-r.Locations[i-1].Last == 1) {
			return errors.New("locations of a routine are out of order")
		}
	}
	return nil
}
