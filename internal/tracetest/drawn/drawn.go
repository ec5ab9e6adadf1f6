// Package drawn draws at random what tests of properties try. It is apart from the other packages of tests, so that who imports those needs no rapid.
package drawn

import (
	"pgregory.net/rapid"

	"github.com/pandotrace/pando/store"
)

// Options draws how a file is divided: into slices and epochs, lanes, nodes and groups, some of them very small.
func Options(t *rapid.T) store.Options {
	fanout := rapid.SampledFrom([]int{2, 3, 4, 0}).Draw(t, "fanout")
	return store.Options{
		SliceEvents:   rapid.SampledFrom([]int{3, 20, 100, 0}).Draw(t, "slice"),
		LaneLocations: rapid.SampledFrom([]int{1, 3, 0}).Draw(t, "lane"),
		Fanout:        fanout,
		GroupSlices:   rapid.SampledFrom([]int{0, 0, 1, fanout * fanout}).Draw(t, "group"),
		EpochSlices:   rapid.SampledFrom([]int{1, 5, 0}).Draw(t, "epoch"),
	}
}
