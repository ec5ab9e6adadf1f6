package store

import (
	"github.com/pandotrace/pando/encode/content"
	"github.com/pandotrace/pando/store/internal/query"
)

// LocationHash is the hash of the structure of a location, under the fixed bases of package content.
type LocationHash = query.LocationHash

// SliceHash is a slice, with the hash of what a location has before it.
type SliceHash = query.SliceHash

// HasHashes reports whether the file has hashes of the structure of the window's locations: whether it was written with Options.Hashes, and
// all regions had their names in time. They are what the writer says. Who does not trust it goes by [Window.Structure], as Reader.Verify
// does with VerifyDeep.
func (w *Window) HasHashes() (bool, error) { return w.w.HasHashes() }

// SliceSpan is the slices First to End-1, and the part [From, To) of a window that lies in them.
type SliceSpan = query.SliceSpan

// WholeSlices returns the slices all of whose events lie in the window. If there are none, the span is empty and stands at the window's end.
// Nothing is read for the window of the whole trace.
func (w *Window) WholeSlices() (SliceSpan, error) { return w.w.WholeSlices() }

// Hashes returns the hashes of what the window's locations have in the slices first to end-1, in the order of definition: of those that
// call something there. The file must have hashes. A few blocks are read, however many slices there are.
func (w *Window) Hashes(first, end uint64) ([]LocationHash, error) { return w.w.Hashes(first, end) }

// SearchHashes returns the first of the slices first to end-1 with which the structure of a location is no longer within something; ok is
// false if it is within to the end, and Before is then the hash of all. The structure begins with some that is given. Of prefixes, each of
// which goes on where the one before ends, within returns how many are: the first ones. The file must have hashes. A block is read for each
// level of the tree of intervals.
func (w *Window) SearchHashes(location uint64, first, end uint64, before content.Hash, within func(prefixes []content.Hash) int) (s SliceHash, ok bool, err error) {
	return w.w.SearchHashes(location, first, end, before, within)
}
