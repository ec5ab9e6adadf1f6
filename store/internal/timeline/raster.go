package timeline

// Run is the time of a region in pixels in a row, on one location. Of more than one pixel it has all the time.
type Run struct {
	Pixel, Pixels uint32 // the first one, and how many
	Region        uint32 // its place among the regions of a timeline; in a part of one, its number
	Ticks         uint64 // of all these pixels
}

// partRuns are those of the locations of a lane that have any, in order of their places; for each of them in order of pixels. A
// pixel may have several runs of one region.
type partRuns struct {
	runs   []Run
	places []partPlace
	errors []pixelError
}

// partPlace says where the runs of a place end.
type partPlace struct {
	place uint32
	end   int
}

// add ends the runs of a place.
func (p *partRuns) add(place uint32) {
	before := 0
	if n := len(p.places); n > 0 {
		before = p.places[n-1].end
	}
	if len(p.runs) > before {
		p.places = append(p.places, partPlace{place, len(p.runs)})
	}
}

// pixelError says by how many ticks the runs of a pixel may be off.
type pixelError struct {
	pixel uint32
	ticks uint64
}

// partReader gives back runs, place by place.
type partReader struct {
	*partRuns
	next, at int // place and run
}

// of returns the runs of a place. It must be called with ascending places.
func (r *partReader) of(place uint32) []Run {
	for r.next < len(r.places) && r.places[r.next].place <= place {
		its, first := r.places[r.next], r.at
		r.next, r.at = r.next+1, its.end
		if its.place == place {
			return r.runs[first:its.end]
		}
	}
	return nil
}

// errors makes errors at least as large as those of a lane.
func (p *lanePlan) errors(all []uint64) {
	last, sum := uint32(0), uint64(0)
	for _, part := range p.found {
		for _, e := range part.errors { // in order of pixels
			if e.pixel != last {
				last, sum = e.pixel, 0
			}
			sum += e.ticks
			all[last] = max(all[last], sum)
		}
	}
}
