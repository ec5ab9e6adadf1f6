package main

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// callSums are what is asked of the calls in a window: sums over all that trace.Call has, so that every field of every call
// must be there. The last two are not compared: the table numbers calls over all locations, Pando by location.
var callSums = []string{
	"count(*)", "sum(location)", "sum(region)", "sum(calling_context)", "sum(start_ticks)", "sum(end_ticks)",
	"sum(exclusive_ticks)", "sum(depth)", "sum(children)", "count_if(open)", "count_if(cut)",
	"sum(call)", "sum(parent)",
}

const compared = 11

// comparedSums are those of the answer that are compared.
func comparedSums(answer []uint64) []uint64 { return answer[:compared] }

func sumsQuery(from string) string {
	return fmt.Sprintf("SELECT %s FROM %s WHERE start_ticks < $2 AND end_ticks > $1", strings.Join(callSums, ", "), from)
}

// sumCalls answers from Pando, location by location: sums ask for no order of time.
func sumCalls(r *store.Reader, w window) (timed, error) {
	return sumBatches(r, r.Window(w.from, w.to).CallBatchesByLocation())
}

// sumCallsInOrder answers in the order of time.
func sumCallsInOrder(r *store.Reader, w window) (timed, error) {
	return sumBatches(r, r.Window(w.from, w.to).CallBatches())
}

// sumBatches adds up all columns, modulo 2^64. Each loop reads four columns side by side: one after the other, a third of the time of a long window went
// to waiting for each sum and each column by itself.
func sumBatches(r *store.Reader, batches iter.Seq2[*trace.CallBatch, error]) (timed, error) {
	begin := time.Now()
	var a [13]uint64
	add := func(sums [4]uint64, columns ...int) {
		for i, c := range columns {
			a[c] += sums[i]
		}
	}
	for b, err := range batches {
		if err != nil {
			return timed{}, err
		}
		a[0] += uint64(b.Len())
		add(columnSums(b.Locations, b.Starts, b.Ends, b.Exclusive), 1, 4, 5, 6)
		add(columnSums(b.Depths, b.Children, b.Ordinals, b.Parents), 7, 8, 11, 12)
		add(nameSums(b.Regions, b.Contexts, b.Flags), 2, 3, 9, 10)
	}
	first := a[0] * uint64(r.Info().First) // tables count time from the first event
	a[4], a[5] = a[4]-first, a[5]-first
	return timed{milliseconds(begin), comparedSums(a[:])}, nil
}

type number interface{ int64 | uint64 | uint32 }

// columnSums adds up four columns of equal length.
func columnSums[A, B, C, D number](a []A, b []B, c []C, d []D) [4]uint64 {
	var s0, s1, s2, s3 uint64
	b, c, d = b[:len(a)], c[:len(a)], d[:len(a)]
	for i, v := range a {
		s0, s1, s2, s3 = s0+uint64(v), s1+uint64(b[i]), s2+uint64(c[i]), s3+uint64(d[i])
	}
	return [4]uint64{s0, s1, s2, s3}
}

// nameSums adds up what is not null in tables of regions and contexts, and counts the calls that are open and cut.
func nameSums(regions, contexts []uint64, flags []trace.CallFlags) [4]uint64 {
	var s0, s1, open, cut uint64
	contexts, flags = contexts[:len(regions)], flags[:len(regions)]
	for i, region := range regions {
		s0, s1 = s0+defined(region), s1+defined(contexts[i])
		open, cut = open+uint64(flags[i]&trace.CallOpen), cut+uint64(flags[i]&trace.CallCut>>1)
	}
	return [4]uint64{s0, s1, open, cut}
}

// defined returns 0 for what is null in tables.
func defined(id uint64) uint64 {
	if id == trace.Undefined {
		return 0
	}
	return id
}

func summaryQuery(from string) string {
	return fmt.Sprintf(`SELECT location, region, count(*), sum(least(end_ticks, $2) - greatest(start_ticks, $1)) FROM %s
		WHERE start_ticks < $2 AND end_ticks > $1 GROUP BY location, region`, from)
}

// summarize answers from Pando what summaryQuery asks.
func summarize(r *store.Reader, w window) (timed, error) {
	begin := time.Now()
	sum, err := r.Window(w.from, w.to).Summary(store.SummaryCalls)
	ms := milliseconds(begin)
	if err != nil {
		return timed{}, err
	}
	var lines []uint64
	for _, c := range sum.Calls {
		lines = append(lines, c.Location, defined(c.Region), c.Count, c.Inclusive.Lo)
	}
	return timed{ms, digest(lines)}, nil
}

// lineWidth is the number of numbers in a line of a summary.
const lineWidth = 4

// digest returns the number of lines, and a sum of them that tells apart sets of lines, whatever their order.
func digest(lines []uint64) []uint64 {
	d := []uint64{0, 0}
	for line := range slices.Chunk(lines, lineWidth) {
		h := uint64(0)
		for _, word := range line {
			h = (h ^ word) * 0x9e3779b97f4a7c15
			h ^= h >> 32
		}
		d[0]++
		d[1] += h
	}
	return d
}
