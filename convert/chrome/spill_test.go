package chrome

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// mixedText makes slices, begins, ends, instants and flows of some threads, many at the same time, of which a share comes too early.
func mixedText(seed uint64, events, threads int, early float64) []byte {
	dice := rand.New(rand.NewPCG(seed, 3))
	text := bytes.NewBufferString("[")
	now := 0.0
	for range events {
		now += []float64{0, 0, 1, 1, 2, 0.001}[dice.IntN(6)]
		at, thread := now, 0
		if dice.Float64() < early {
			at -= []float64{1, 5, 1000, 50_000}[dice.IntN(4)]
		}
		if dice.IntN(10) < 7 {
			thread = dice.IntN(threads)
		}
		fmt.Fprintf(text, `{"pid":%d,"tid":%d,"ts":%.3f,`, thread%7, thread, at)
		switch k := dice.IntN(20); {
		case k < 8:
			fmt.Fprintf(text, `"ph":"X","name":"n%d","dur":%d},`, dice.IntN(50), []int{0, 1, 1, 2, 50}[dice.IntN(5)])
		case k < 15:
			fmt.Fprintf(text, `"ph":"%c","name":"n%d"},`, "BE"[dice.IntN(2)], dice.IntN(5))
		case k < 17:
			fmt.Fprintf(text, `"ph": "i", "name": "i", "args": {"s": "%*d"}},`, 1+dice.IntN(300), k)
		default:
			fmt.Fprintf(text, `"ph":"%c","cat":"c","name":"f","id":%d},`, "sf"[dice.IntN(2)], dice.IntN(events/10))
		}
		text.WriteString("\n")
	}
	return append(text.Bytes(), "{}]"...)
}

// TestSortedOnDisk reads files whose events are sorted on disk, and in memory: it makes no difference.
func TestSortedOnDisk(t *testing.T) {
	for seed, threads := range []int{1, 5, 400, 4000} {
		for _, early := range []float64{0, .01, 1} {
			text := mixedText(uint64(seed), 30_000, threads, early)
			var lists [][]string
			for _, memory := range []int64{1, 1 << 30} {
				a, err := openText(text, Options{Memory: memory, TempDir: t.TempDir()})
				if err != nil {
					t.Fatal(err)
				}
				if onDisk := len(a.Sorted.Runs) > 0; onDisk != (memory == 1) {
					t.Errorf("%d threads: sorted on disk: %v", threads, onDisk)
				}
				lists = append(lists, listing(t, a))
				if err := a.Close(); err != nil {
					t.Error(err)
				}
			}
			if !slices.Equal(lists[0], lists[1]) {
				t.Errorf("%d threads, %v too early: sorting on disk makes a difference", threads, early)
			}
		}
	}
}
