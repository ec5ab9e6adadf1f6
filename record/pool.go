package record

import (
	"encoding/binary"
)

// none is the number of no bin.
const none = -1

// pool hands out bins, and takes them back. All methods need the recorder's lock.
type pool struct {
	mem  []byte // of the file
	size int    // of a bin
	mode Mode
	next []int32  // of each bin in its list
	last []uint64 // time of the last record in a full bin
	free int32
	// full are lists of full bins: of calls by their class, then of metrics, then of events. Bins that are being written are in none.
	full, tail [classes + 2]int32

	floor      uint32
	horizon    uint64
	stopped    uint64
	noMetrics  bool
	reductions int
}

// Lists of full bins behind those of calls.
const (
	fullMetrics = classes
	fullEvents  = classes + 1
)

func (p *pool) init(mem []byte, size, bins int, mode Mode) {
	*p = pool{mem: mem, size: size, mode: mode, next: make([]int32, bins), last: make([]uint64, bins)}
	for i := range p.next {
		p.next[i] = int32(i + 1)
	}
	p.next[bins-1] = none
	for i := range p.full {
		p.full[i], p.tail[i] = none, none
	}
}

// offset returns where a bin is in the file.
func (p *pool) offset(bin int32) int { return headSize + int(bin)*p.size }

// at returns the memory of a bin.
func (p *pool) at(bin int32) []byte {
	from := p.offset(bin)
	return p.mem[from : from+p.size : from+p.size]
}

// retire files a bin that was written to its end.
func (p *pool) retire(bin int32, list int, last uint64) {
	p.last[bin], p.next[bin] = last, none
	if p.tail[list] == none {
		p.full[list] = bin
	} else {
		p.next[p.tail[list]] = bin
	}
	p.tail[list] = bin
}

// release gives a bin back that holds nothing that counts.
func (p *pool) release(bin int32) {
	p.next[bin], p.free = p.free, bin
}

// take returns an empty bin, for which others are given up if need be, or none.
func (p *pool) take(kind, location, class uint32, base uint64) int32 {
	for p.free == none {
		if !p.giveUp() {
			return none
		}
	}
	bin := p.free
	p.free = p.next[bin]
	b := p.at(bin)
	le := binary.LittleEndian
	generation := le.Uint32(b[binAtGeneration:]) + 1
	le.PutUint32(b, binFree)
	le.PutUint32(b[binAtGeneration:], generation)
	if generation > 1 { // a new file is zero: its pages are touched when they are written, one by one
		clear(b[binHeader:])
	}
	le.PutUint32(b[binAtLocation:], location)
	le.PutUint32(b[binAtClass:], class)
	le.PutUint64(b[binAtBase:], base)
	le.PutUint32(b, kind)
	return bin
}

// giveUp empties bins by the recorder's mode. It reports whether there are any now.
func (p *pool) giveUp() bool {
	switch p.mode {
	case Keep:
		return p.giveUpMetrics() || p.giveUpShortest()
	case Last:
		return p.giveUpOldest()
	}
	return false
}

// giveUpMetrics gives up all values of metrics.
func (p *pool) giveUpMetrics() bool {
	if p.noMetrics || p.full[fullMetrics] == none {
		return false
	}
	p.dropMetrics()
	p.splice(fullMetrics)
	return true
}

// dropMetrics declares values of metrics to be left out.
func (p *pool) dropMetrics() {
	p.noMetrics = true
	binary.LittleEndian.PutUint32(p.mem[atNoMetrics:], 1)
}

// giveUpShortest gives up the class of the shortest calls that has a full bin. Calls with events inside stay.
func (p *pool) giveUpShortest() bool {
	for class := p.floor; class < protected; class++ {
		if p.full[class] == none {
			continue
		}
		p.raise(class + 1)
		for lower := range class + 1 {
			p.splice(int(lower))
		}
		return true
	}
	return false
}

// raise declares calls below a class to be left out.
func (p *pool) raise(floor uint32) {
	p.floor = floor
	p.reductions++
	binary.LittleEndian.PutUint32(p.mem[atFloor:], floor)
}

// splice makes a list of full bins free.
func (p *pool) splice(list int) {
	if p.tail[list] == none {
		return
	}
	p.next[p.tail[list]] = p.free
	p.free = p.full[list]
	p.full[list], p.tail[list] = none, none
}

// giveUpOldest gives up the full bin whose last record is the oldest.
func (p *pool) giveUpOldest() bool {
	oldest := none
	for list, bin := range p.full {
		if bin != none && (oldest == none || p.last[bin] < p.last[p.full[oldest]]) {
			oldest = list
		}
	}
	if oldest == none {
		return false
	}
	bin := p.full[oldest]
	p.full[oldest] = p.next[bin]
	if p.full[oldest] == none {
		p.tail[oldest] = none
	}
	p.horizon = max(p.horizon, p.last[bin]+1)
	binary.LittleEndian.PutUint64(p.mem[atHorizon:], p.horizon)
	p.reductions++
	p.release(bin)
	return true
}

// stop declares that nothing is kept from a time on.
func (p *pool) stop(at uint64) {
	if p.stopped == 0 {
		p.stopped = at
		binary.LittleEndian.PutUint64(p.mem[atStopped:], at)
	}
}
