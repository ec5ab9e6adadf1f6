package read

import (
	"slices"
	"sort"
	"sync/atomic"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/cache"
)

// locations is what is known of the file's locations: pages of them that somebody has needed. They stay, and count in the cache's budget.
//
// Who works on some lanes asks for these first ([File.Lane], [File.NeedLanes]), and gets the errors. Look-ups of their locations then fail no more.
type locations struct {
	size         uint64                 // of each page but the last
	refs, totals []format.Ref           // of pages; none if the totals have all of them
	few          []index.LocationTotals // what the totals have
	ranges       []index.LocationRange  // of pages
	pages        []atomic.Pointer[locationPage]
	lanes        []atomic.Pointer[Lane]
	rising       bool // ids of a page are above those of the page before
}

// locationPage is a page that was read.
type locationPage struct {
	*index.LocationPage
	byID  []uint16 // places in the order of ids; nil if ids rise
	sorts bool     // lanes do not fall
}

// Lane is a lane with its locations, and the numbers of what occurs in it: pairs of locations with messages, collective operations, and counters.
type Lane struct {
	Locations   []uint32 // indices, rising
	Pairs       Numbering[Pair]
	Collectives Numbering[tables.Key]
	Counters    Numbering[tables.Key]
}

// Place returns the place of a location in the lane; ok is false if it is in another one.
func (l *Lane) Place(location uint32) (place uint32, ok bool) {
	if at := location - l.Locations[0]; int(at) < len(l.Locations) && l.Locations[at] == location { // no gap before it
		return at, true
	}
	n, ok := slices.BinarySearch(l.Locations, location)
	return uint32(n), ok
}

// idBytes, laneBytes and totalsBytes are about what a location takes in memory of ids, of its lane, and of totals.
const (
	idBytes     = 12
	laneBytes   = 4
	totalsBytes = 40
)

// placeLocations notes where pages of locations are. A page takes some bytes for each of its locations, so that a short file has not very many.
func (r *File) placeLocations(t *index.Totals) error {
	l, n, size := &r.locations, t.Locations, t.PageLocations
	l.ranges, l.size = r.root.Ranges, size
	if n > uint64(r.limits.Locations) {
		return format.Corruptf("totals block", -1, "%d locations are over the limit", n).Of(format.ErrLimit)
	}
	l.refs, l.totals = r.Listed(format.BlockLocations), r.Listed(format.BlockLocationTotals)
	pages := uint64(0)
	if size > 0 {
		pages = (n + size - 1) / size
	}
	if r.root.Lanes > n || pages != uint64(len(l.refs)) || pages != uint64(len(l.totals)) {
		return format.Corruptf("totals block", -1, "%d lanes of %d locations, in %d and %d pages of %d", r.root.Lanes, n, len(l.refs), len(l.totals), size)
	}
	end := uint64(0)
	for i, ref := range l.refs {
		least := uint64(format.FrameSize + format.LeastBytes(format.Things(2*r.locationsOf(i), format.PackedBytes)))
		if ref.Offset < end || uint64(ref.Length) < least || !r.fits(ref) {
			return format.Corruptf("directory root", -1, "page %d of locations lies before or outside of others, or has fewer than %d bytes", i, least)
		}
		end = ref.Offset + uint64(ref.Length)
	}
	l.pages, l.lanes = make([]atomic.Pointer[locationPage], len(l.refs)), make([]atomic.Pointer[Lane], r.root.Lanes)
	l.rising = true
	for i := 1; i < len(l.ranges); i++ {
		l.rising = l.rising && l.ranges[i].FirstID > l.ranges[i-1].LastID
	}
	if size == 0 && n > 0 {
		return r.placeFew(t)
	}
	return nil
}

// placeFew takes the locations from the totals, as the only page.
func (r *File) placeFew(t *index.Totals) error {
	l, has := &r.locations, t.Few.Range()
	if uint64(has.LastLane) >= r.root.Lanes {
		return format.Corruptf("totals block", -1, "a location is in lane %d of %d", has.LastLane, r.root.Lanes)
	}
	l.size, l.few, l.ranges, l.pages = t.Locations, t.FewTotals.Totals, []index.LocationRange{has}, make([]atomic.Pointer[locationPage], 1)
	l.pages[0].Store(newLocationPage(&t.Few))
	return nil
}

func newLocationPage(p *index.LocationPage) *locationPage {
	return &locationPage{LocationPage: p, byID: orderOf(p.IDs), sorts: slices.IsSorted(p.Lanes)}
}

// locationsOf returns the number of locations of a page.
func (r *File) locationsOf(page int) int {
	return int(min(r.locations.size, r.info.Locations-uint64(page)*r.locations.size))
}

// locationPage returns a page, which is read unless it was before.
func (r *File) locationPage(i int) (*locationPage, error) {
	if p := r.locations.pages[i].Load(); p != nil {
		return p, nil
	}
	ref := r.locations.refs[i]
	b, err := r.Block(format.BlockLocations, ref)
	if err != nil {
		return nil, err
	}
	parsed, err := index.ParseLocationPage(b)
	if err == nil && (parsed.First != uint64(i)*r.locations.size || len(parsed.IDs) != r.locationsOf(i) || parsed.Range() != r.locations.ranges[i]) {
		err = format.Corruptf("locations block", -1, "it has other locations than the root says")
	}
	if err != nil {
		return nil, format.At(err, r.name, PlaceOf(ref))
	}
	p := newLocationPage(parsed)
	if r.locations.pages[i].CompareAndSwap(nil, p) {
		r.cache.Hold(int64(idBytes*len(p.IDs) + 2*len(p.byID)))
	}
	return r.locations.pages[i].Load(), nil
}

// orderOf returns the places of ids in their order, nil if they rise.
func orderOf(ids []uint64) (order []uint16) {
	if slices.IsSorted(ids) {
		return nil
	}
	order = make([]uint16, len(ids))
	for i := range order {
		order[i] = uint16(i)
	}
	slices.SortStableFunc(order, func(a, b uint16) int {
		if ids[a] < ids[b] {
			return -1
		}
		return int(min(ids[a]-ids[b], 1))
	})
	return order
}

// find returns the place of an id in the page.
func (p *locationPage) find(id uint64) (place int, ok bool) {
	if p.byID == nil {
		return slices.BinarySearch(p.IDs, id)
	}
	n := sort.Search(len(p.byID), func(i int) bool { return p.IDs[p.byID[i]] >= id })
	if n == len(p.byID) {
		return 0, false
	}
	place = int(p.byID[n])
	return place, p.IDs[place] == id
}

// of yields the places of a lane's locations in the page.
func (p *locationPage) of(lane uint32, yield func(place int)) {
	from, to := 0, len(p.Lanes)
	if p.sorts {
		from, _ = slices.BinarySearch(p.Lanes, lane)
		to = from + sort.Search(to-from, func(i int) bool { return p.Lanes[from+i] > lane })
	}
	for i := from; i < to; i++ {
		if p.Lanes[i] == lane {
			yield(i)
		}
	}
}

// readPages reads those pages of locations that are wanted and not known yet, together.
func (r *File) readPages(want func(page int) bool) error {
	var missing []int
	var refs []format.Ref
	for i := range r.locations.pages {
		if want(i) && r.locations.pages[i].Load() == nil {
			missing, refs = append(missing, i), append(refs, r.locations.refs[i])
		}
	}
	for len(refs) > 0 {
		n := 1
		if len(refs) > 1 {
			n = r.LoadSome(refs)
		}
		for _, i := range missing[:n] {
			if _, err := r.locationPage(i); err != nil {
				return err
			}
		}
		missing, refs = missing[n:], refs[n:]
	}
	return nil
}

// NeedLocations makes all locations known.
func (r *File) NeedLocations() error { return r.readPages(func(int) bool { return true }) }

// NeedLanes makes the locations of some lanes known, which are in rising order.
func (r *File) NeedLanes(lanes []uint32) error {
	return r.readPages(func(page int) bool {
		has := &r.locations.ranges[page]
		at, _ := slices.BinarySearch(lanes, has.FirstLane)
		return at < len(lanes) && lanes[at] <= has.LastLane
	})
}

// LaneCount returns the number of lanes.
func (r *File) LaneCount() int { return len(r.locations.lanes) }

// AllLanes returns the numbers of all lanes.
func (r *File) AllLanes() []uint32 {
	lanes := make([]uint32, r.LaneCount())
	for i := range lanes {
		lanes[i] = uint32(i)
	}
	return lanes
}

// Lane returns a lane, and makes its locations known.
func (r *File) Lane(number uint32) (*Lane, error) {
	if int64(number) >= int64(r.LaneCount()) {
		return nil, format.At(format.Corruptf("directory root", -1, "lane %d of %d", number, r.LaneCount()), r.name, r.size-format.FooterSize)
	}
	at := &r.locations.lanes[number]
	if l := at.Load(); l != nil {
		return l, nil
	}
	if err := r.NeedLanes([]uint32{number}); err != nil {
		return nil, err
	}
	l := &Lane{}
	for i := range r.locations.pages {
		if has := &r.locations.ranges[i]; has.FirstLane <= number && has.LastLane >= number {
			p := r.locations.pages[i].Load()
			p.of(number, func(place int) { l.Locations = append(l.Locations, uint32(p.First)+uint32(place)) })
		}
	}
	if len(l.Locations) == 0 {
		return nil, format.At(format.Corruptf("directory root", -1, "there are %d lanes, and lane %d has no location", r.LaneCount(), number), r.name, r.size-format.FooterSize)
	}
	if at.CompareAndSwap(nil, l) {
		r.cache.Hold(int64(laneBytes * len(l.Locations)))
	}
	return at.Load(), nil
}

// KnownLane returns a lane that was asked for before.
func (r *File) KnownLane(number uint32) *Lane { return r.locations.lanes[number].Load() }

// pageOf returns the page of a location and its place there; nil if the location is not known.
func (r *File) pageOf(location uint32) (*locationPage, int) {
	i, place := int(uint64(location)/r.locations.size), int(uint64(location)%r.locations.size)
	if i >= len(r.locations.pages) {
		return nil, 0
	}
	p := r.locations.pages[i].Load()
	if p == nil || place >= len(p.IDs) {
		return nil, 0
	}
	return p, place
}

// LocationID returns the id of a location of a lane that was asked for.
func (r *File) LocationID(location uint32) uint64 {
	if p, place := r.pageOf(location); p != nil {
		return p.IDs[place]
	}
	return 0
}

// LaneOf returns the lane of a location; ok is false if there is no such location, or nobody has asked for its lane.
func (r *File) LaneOf(location uint32) (lane uint32, ok bool) {
	p, place := r.pageOf(location)
	if p == nil {
		return 0, false
	}
	return p.Lanes[place], true
}

// InLane reports whether a location is in a lane that was asked for.
func (r *File) InLane(location uint64, lane uint32) bool {
	if location >= r.info.Locations {
		return false
	}
	of, ok := r.LaneOf(uint32(location))
	return ok && of == lane
}

// LocationIndex returns the index of the location with an id, among those of lanes that were asked for.
func (r *File) LocationIndex(id uint64) (location uint32, ok bool) {
	from, to := r.pagesWith(id)
	for i := from; i < to; i++ {
		p := r.locations.pages[i].Load()
		if p == nil || !r.mayHave(i, id) {
			continue
		}
		if place, ok := p.find(id); ok {
			return uint32(p.First) + uint32(place), true
		}
	}
	return 0, false
}

// KnownIndex returns the index of a location of a lane that was asked for.
func (r *File) KnownIndex(id uint64) uint32 {
	location, _ := r.LocationIndex(id)
	return location
}

// FindLocation is LocationIndex among all locations: it makes those known that are in the page.
func (r *File) FindLocation(id uint64) (location uint32, ok bool, err error) {
	if location, ok = r.LocationIndex(id); ok {
		return location, ok, nil
	}
	from, to := r.pagesWith(id)
	err = r.readPages(func(page int) bool { return page >= from && page < to && r.mayHave(page, id) })
	location, ok = r.LocationIndex(id)
	return location, ok, err
}

// pagesWith returns pages among which those are that may have an id: from <= page < to.
func (r *File) pagesWith(id uint64) (from, to int) {
	if !r.locations.rising {
		return 0, len(r.locations.ranges)
	}
	from = sort.Search(len(r.locations.ranges), func(i int) bool { return r.locations.ranges[i].LastID >= id })
	return from, min(from+1, len(r.locations.ranges))
}

func (r *File) mayHave(page int, id uint64) bool {
	has := &r.locations.ranges[page]
	return id >= has.FirstID && id <= has.LastID
}

// LocationIDs returns the ids of all locations, in their order.
func (r *File) LocationIDs() ([]uint64, error) {
	if err := r.NeedLocations(); err != nil {
		return nil, err
	}
	ids := make([]uint64, 0, r.info.Locations)
	for i := range r.locations.pages {
		ids = append(ids, r.locations.pages[i].Load().IDs...)
	}
	return ids, nil
}

// totalsPage returns the totals of the locations of a page.
func (r *File) totalsPage(i int) ([]index.LocationTotals, error) {
	if r.locations.few != nil {
		return r.locations.few, nil
	}
	ref := r.locations.totals[i]
	return cache.Get(r.cache, cache.Key{What: cache.LocationTotals, Offset: uint64(i)}, func() ([]index.LocationTotals, int64, error) {
		b, err := r.Block(format.BlockLocationTotals, ref)
		if err != nil {
			return nil, 0, err
		}
		p, err := index.ParseLocationTotals(b)
		if err == nil && (p.First != uint64(i)*r.locations.size || len(p.Totals) != r.locationsOf(i)) {
			err = format.Corruptf("location totals block", -1, "it has other locations than the root says")
		}
		if err != nil {
			return nil, 0, format.At(err, r.name, PlaceOf(ref))
		}
		return p.Totals, int64(totalsBytes * len(p.Totals)), nil
	})
}

// LocationTotals returns what the events of a location add up to.
func (r *File) LocationTotals(location uint32) (index.LocationTotals, error) {
	page, place := uint64(location)/r.locations.size, uint64(location)%r.locations.size
	totals, err := r.totalsPage(int(page))
	if err != nil {
		return index.LocationTotals{}, err
	}
	return totals[place], nil
}

// CheckLocationPage reads one of the pages of locations.
func (r *File) CheckLocationPage(ref format.Ref) error {
	_, err := r.locationPage(slices.Index(r.locations.refs, ref))
	return err
}

// CheckLocationTotals reads one of the pages of totals.
func (r *File) CheckLocationTotals(ref format.Ref) error {
	_, err := r.totalsPage(slices.Index(r.locations.totals, ref))
	return err
}

// LocationFault is the error of what a kind of pages of locations says, or of what the totals say where there are no pages.
func (r *File) LocationFault(kind format.BlockKind, message string, args ...any) error {
	if len(r.locations.refs) == 0 {
		kind = format.BlockTotals
	}
	return format.At(format.Corruptf(kind.String(), -1, message, args...), r.name, r.OffsetOf(kind))
}

// Locations returns what the file says of each location, in their order.
func (r *File) Locations() ([]index.LocationInfo, error) {
	if err := r.NeedLocations(); err != nil {
		return nil, err
	}
	r.LoadSome(r.locations.totals)
	all := make([]index.LocationInfo, 0, r.info.Locations)
	events := uint64(0)
	for i := range r.locations.pages {
		totals, err := r.totalsPage(i)
		if err != nil {
			return nil, err
		}
		p := r.locations.pages[i].Load()
		for place := range totals {
			all = append(all, index.LocationInfo{ID: p.IDs[place], Lane: p.Lanes[place], LocationTotals: totals[place]})
			events += totals[place].Events
		}
	}
	if events != r.root.Events {
		return nil, r.LocationFault(format.BlockLocationTotals, "locations have %d events, the root says %d", events, r.root.Events)
	}
	return all, nil
}
