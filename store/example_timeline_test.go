package store_test

import (
	"fmt"
	"log"

	"github.com/pandotrace/pando/store"
)

// Timelines of very many locations come some locations at a time. The cells of all have the same pixels.
func ExampleWindow_Timelines() {
	r, done := openExample()
	defer done()
	window := r.Window(0, 20_000).WithRegions(regionCompute)
	ids, err := window.LocationIDs()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("locations", ids, "with main:", window.HasRegion(regionMain))
	ticks := uint64(0)
	for t, err := range window.Timelines(store.TimelineOptions{Pixels: 2}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, c := range t.Cells {
			ticks += c.Ticks
		}
	}
	fmt.Println("computing:", ticks)
	// Output:
	// locations [0 1] with main: false
	// computing: 32000
}

// Where a region has all the time of pixels in a row, a timeline of runs says it once.
func ExampleWindow_TimelineRuns() {
	r, done := openExample()
	defer done()
	for t, err := range r.Window(0, 1000).TimelineRuns(store.TimelineOptions{Pixels: 100}) {
		if err != nil {
			log.Fatal(err)
		}
		for i, location := range t.Locations {
			for _, run := range t.Runs[t.Starts[i]:t.Starts[i+1]] {
				fmt.Println("location", location, "region", t.Regions[run.Region], "pixel", run.Pixel, "and in all", run.Pixels, "ticks", run.Ticks)
			}
		}
	}
	// Output:
	// location 0 region 1 pixel 0 and in all 1 ticks 10
	// location 0 region 1 pixel 1 and in all 98 ticks 980
	// location 0 region 1 pixel 99 and in all 1 ticks 10
	// location 1 region 1 pixel 0 and in all 1 ticks 10
	// location 1 region 1 pixel 1 and in all 98 ticks 980
	// location 1 region 1 pixel 99 and in all 1 ticks 10
}
