package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
)

const (
	headSize   = 4096
	binSize    = 16 << 10
	binHead    = 32
	unknown    = 1<<32 - 1 // of a rank
	closed     = 1
	monotonic  = 1
	counter    = 2
	protected  = 64
	stackAt    = 64
	stoppedAt  = 6208
	perProfile = 512 // regions in the profile of a bin of 16 KiB
)

// Kinds of bins.
const (
	locationBin = 1 + iota
	profileBin
	definitionsBin
	callsBin
	eventsBin
	metricsBin
)

// pair is a time of the recorder's clock and of the day.
type pair struct{ ticks, real uint64 }

// file is one recording in the making: fields of its head, and bins.
type file struct {
	rank, ranks   uint32
	run           uint64
	clock, state  uint32
	mode          uint32 // keep if it is 0
	floor         uint32
	reduction     uint32
	classes       uint32 // of regions
	patterns      string // of these
	phases        string
	every         uint32
	horizon, stop uint64
	noMetrics     uint32
	end           uint64
	began         pair
	newer         [2]pair
	newest        uint32
	host          string
	bins          []bin
	cut           int          // bytes that are missing at the end
	patches       map[int]byte // other bytes than those of the layout, by their offsets
}

// bin is one bin: its content begins behind its header.
type bin struct {
	kind, location, class uint32
	base                  uint64
	content               []byte
}

// bytes lays the file out.
func (r *file) bytes() []byte {
	b := make([]byte, headSize+len(r.bins)*binSize)
	put32 := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	put64 := func(at int, v uint64) { binary.LittleEndian.PutUint64(b[at:], v) }
	copy(b, "PANDOREC")
	put32(8, 2)
	put32(12, headSize)
	put32(16, binSize)
	put32(20, uint32(len(r.bins)))
	put64(24, r.run)
	put32(32, 1000+r.rank)
	put32(36, r.rank)
	put32(40, r.ranks)
	put32(44, r.clock)
	put32(48, max(r.mode, 1))
	put32(52, r.reduction)
	put32(56, r.state)
	put32(60, r.floor)
	put64(64, r.horizon)
	put64(72, r.stop)
	for i, p := range []pair{r.began, r.newer[0], r.newer[1]} {
		at := []int{80, 104, 120}[i]
		put64(at, p.ticks)
		put64(at+8, p.real)
	}
	put32(96, r.newest)
	put32(140, r.every)
	put32(144, r.classes)
	put32(148, r.noMetrics)
	put64(152, r.end)
	copy(b[256:], r.host)
	copy(b[384:], "a.out")
	copy(b[896:], r.phases)
	copy(b[1408:], r.patterns)
	for i, x := range r.bins {
		at := headSize + i*binSize
		put32(at, x.kind)
		put32(at+4, x.location)
		put32(at+8, x.class)
		put32(at+12, 1)
		put64(at+16, x.base)
		copy(b[at+binHead:at+binSize], x.content)
	}
	for at, v := range r.patches {
		b[at] = v
	}
	return b[:len(b)-r.cut]
}

// packed compresses a file: nearly all of it is zero.
func packed(recording []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(recording); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
