package timeline

// partCell is a cell of one location in a part of a timeline.
type partCell struct {
	pixel, region uint32 // region by number
	ticks         uint64
}

// partCells are those of the locations of a lane that have any, in order of their places; for each of them in order of pixels. A
// pixel may have several cells of one region.
type partCells struct {
	cells  []partCell
	runs   []partRun
	errors []pixelError
}

// partRun says where the cells of a place end.
type partRun struct {
	place uint32
	end   int
}

// add ends the cells of a place.
func (p *partCells) add(place uint32) {
	before := 0
	if n := len(p.runs); n > 0 {
		before = p.runs[n-1].end
	}
	if len(p.cells) > before {
		p.runs = append(p.runs, partRun{place, len(p.cells)})
	}
}

// pixelError says by how many ticks the cells of a pixel may be off.
type pixelError struct {
	pixel uint32
	ticks uint64
}

// partReader gives back cells, place by place.
type partReader struct {
	*partCells
	next, at int // run and cell
}

// of returns the cells of a place. It must be called with ascending places.
func (r *partReader) of(place uint32) []partCell {
	for r.next < len(r.runs) && r.runs[r.next].place <= place {
		run, first := r.runs[r.next], r.at
		r.next, r.at = r.next+1, run.end
		if run.place == place {
			return r.cells[first:run.end]
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
