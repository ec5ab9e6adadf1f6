package clog2

import (
	"cmp"
	"slices"
)

// records are those of a piece of a file, run by run, so that a stream reads those of its location in one go. Once the locations of
// the runs are known, nobody changes it any more. Bare events, which most records are, take 14 bytes.
type records struct {
	runs     []run // in the order of their locations
	times    []float64
	whats    []what
	order    []uint16 // numbers among the records of the piece
	payloads []byte
	located  bool // the runs have locations
}

// run is some of the records, in their order.
type run struct{ source, location, from, to int32 }

// source is whose records those of a run are: twice the number of a line of the file, and 1 for those about communicators, which
// may belong to another line of the trace.
func sourceOf(line int32, typ int) int32 {
	if typ >= typeBare && typ <= typeColl {
		return 2 * line
	}
	return 2*line + 1
}

// what tells what a record is: the number of the event of a bare one, if it is a near one. Others have a payload, which is what
// follows the header.
type what uint32

const (
	hasPayload  = 1 << 31
	typeShift   = 24
	payloadMask = 1<<typeShift - 1
)

func payloadAt(typ, at int) what { return what(hasPayload | typ<<typeShift | at) }

func (w what) bare() bool { return w < hasPayload }

// isMessage reports whether a record is an end of a message.
func (w what) isMessage() bool {
	return w>>typeShift >= hasPayload>>typeShift|typeSend || w>>typeShift == hasPayload>>typeShift|typeMessage
}

func (w what) typ() int { return int(w >> typeShift & 15) }

func (w what) payloadSize() int { return int(recordSizes[w.typ()]) - headerBytes }

// payload returns type and payload of a record that has one.
func (w what) payload(payloads []byte) (typ int, payload []byte) {
	at := int(w & payloadMask)
	return w.typ(), payloads[at : at+w.payloadSize()]
}

// pieceRecords is the most that a piece has of records.
const pieceRecords = pieceBytes / leastRecord

// collector collects the records of a piece in their order.
type collector struct {
	n      int
	times  [pieceRecords]float64
	whats  [pieceRecords]what   // payloads are still where they stand in the piece
	runOf  [pieceRecords]uint16 // by record
	runs   []run                // in the order of their first records; to counts the records
	sizes  []int32              // by run: bytes of payloads
	number []uint16             // by source: index in runs, where epochs say that it is of this piece
	epochs []uint32             // by source
	epoch  uint32
	slabs  slabs
}

func (c *collector) begin() {
	c.n, c.runs, c.sizes = 0, c.runs[:0], c.sizes[:0]
	if c.epoch++; c.epoch == 0 {
		clear(c.epochs)
		c.epoch = 1
	}
}

// add adds a record.
func (c *collector) add(source int32, time float64, w what) {
	if int(source) >= len(c.epochs) || c.epochs[source] != c.epoch {
		c.open(source)
	}
	run := c.number[source]
	c.runs[run].to++
	if !w.bare() {
		c.sizes[run] += int32(w.payloadSize())
	}
	c.times[c.n], c.whats[c.n], c.runOf[c.n] = time, w, run
	c.n++
}

// open begins a run.
func (c *collector) open(source int32) {
	for int(source) >= len(c.epochs) {
		c.epochs, c.number = append(c.epochs, 0), append(c.number, 0)
	}
	c.epochs[source], c.number[source] = c.epoch, uint16(len(c.runs))
	c.runs, c.sizes = append(c.runs, run{source: source}), append(c.sizes, 0)
}

// sorted returns the records run by run. data are the bytes of the piece.
func (c *collector) sorted(data []byte) *records {
	next, nextByte := int32(0), int32(0)
	for i := range c.runs {
		run, size := &c.runs[i], c.sizes[i]
		run.from, run.to, next = next, next, next+run.to
		c.sizes[i], nextByte = nextByte, nextByte+size
	}
	r := c.slabs.records(c.n, int(nextByte))
	r.runs = slices.Clone(c.runs)
	for i, n := range c.runOf[:c.n] {
		run, w := &r.runs[n], c.whats[i]
		if !w.bare() {
			typ, payload := w.payload(data)
			w = payloadAt(typ, int(c.sizes[n]))
			to := r.payloads[c.sizes[n]:][:len(payload)]
			if typ >= typeSend {
				*(*[endBytes]byte)(to) = [endBytes]byte(payload)
			} else {
				copy(to, payload)
			}
			c.sizes[n] += int32(len(payload))
		}
		r.times[run.to], r.whats[run.to], r.order[run.to] = c.times[i], w, uint16(i)
		run.to++
	}
	return r
}

// locate says which locations the runs are of.
func (r *records) locate(f *file) {
	for i := range r.runs {
		run := &r.runs[i]
		run.location = f.lineOf(run.source).Location
	}
	slices.SortStableFunc(r.runs, func(a, b run) int { return cmp.Compare(a.location, b.location) })
	r.located = true
}

// part is the records of one location in a piece, or what is left of them.
type part struct {
	times    []float64
	whats    []what
	source   int32   // of all of them, or mixed
	sources  []int32 // by record, if it is mixed
	payloads []byte
}

const mixed = -1

// of returns the records of a location.
func (r *records) of(location int32) part {
	i, ok := slices.BinarySearchFunc(r.runs, location, func(r run, l int32) int { return cmp.Compare(r.location, l) })
	if !ok {
		return part{}
	}
	p, _ := r.part(i)
	return p
}

// part returns the records of the location whose runs begin with run i, and the next run behind them.
func (r *records) part(i int) (p part, next int) {
	first := &r.runs[i]
	next = i + 1
	for next < len(r.runs) && r.runs[next].location == first.location {
		next++
	}
	if next > i+1 {
		return r.merge(r.runs[i:next]), next
	}
	return part{times: r.times[first.from:first.to], whats: r.whats[first.from:first.to], source: first.source, payloads: r.payloads}, next
}

// merge puts the records of several runs in order.
func (r *records) merge(runs []run) part {
	type place struct{ at, source int32 }
	var places []place
	for _, run := range runs {
		for at := run.from; at < run.to; at++ {
			places = append(places, place{at, run.source})
		}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(r.order[a.at], r.order[b.at]) })
	p := part{source: mixed, payloads: r.payloads}
	for _, at := range places {
		p.times, p.whats, p.sources = append(p.times, r.times[at.at]), append(p.whats, r.whats[at.at]), append(p.sources, at.source)
	}
	return p
}

func (p *part) len() int { return len(p.times) }

// skip passes over the first n records.
func (p *part) skip(n int) {
	p.times, p.whats = p.times[n:], p.whats[n:]
	if p.source == mixed {
		p.sources = p.sources[n:]
	}
}

// sourceAt returns the source of a record.
func (p *part) sourceAt(i int) int32 {
	if p.source == mixed {
		return p.sources[i]
	}
	return p.source
}
