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

// sumBatches adds up all columns, modulo 2^64.
func sumBatches(r *store.Reader, batches iter.Seq2[*trace.CallBatch, error]) (timed, error) {
	begin := time.Now()
	var a [13]uint64
	for b, err := range batches {
		if err != nil {
			return timed{}, err
		}
		a[0] += uint64(b.Len())
		a[1] += columnSum(b.Locations)
		a[4] += columnSum(b.Starts)
		a[5] += columnSum(b.Ends)
		a[6] += columnSum(b.Exclusive)
		a[7] += columnSum(b.Depths)
		a[8] += columnSum(b.Children)
		a[11] += columnSum(b.Ordinals)
		a[12] += columnSum(b.Parents)
		a[2] += definedSum(b.Regions)
		a[3] += definedSum(b.Contexts)
		for _, flags := range b.Flags {
			a[9] += uint64(flags & trace.CallOpen)
			a[10] += uint64(flags & trace.CallCut >> 1)
		}
	}
	first := a[0] * uint64(r.Info().First) // tables count time from the first event
	a[4], a[5] = a[4]-first, a[5]-first
	return timed{milliseconds(begin), comparedSums(a[:])}, nil
}

// columnSum adds up a column, modulo 2^64: two sums at a time, as each waits for the value before.
func columnSum[T int64 | uint64 | uint32](column []T) uint64 {
	var even, odd uint64
	for len(column) >= 4 {
		v := (*[4]T)(column)
		even, odd = even+uint64(v[0])+uint64(v[2]), odd+uint64(v[1])+uint64(v[3])
		column = column[4:]
	}
	for _, v := range column {
		even += uint64(v)
	}
	return even + odd
}

// definedSum is columnSum of what is not null in tables.
func definedSum(column []uint64) uint64 {
	sum := columnSum(column)
	for _, v := range column {
		if v == trace.Undefined {
			sum -= v
		}
	}
	return sum
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
