package vectors

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// small are options with which a short trace has many blocks.
var small = store.Options{SliceEvents: 40, Fanout: 2, EpochSlices: 4, LaneLocations: 2}

// inPages are options with which the directory has pages of some lanes each.
var inPages = store.Options{SliceEvents: 40, Fanout: 2, EpochSlices: 4, LaneLocations: 1, PageEntries: 12}

// inSmallPages are options with which locations stand in pages, as they do in files of many.
var inSmallPages = store.Options{SliceEvents: 40, Fanout: 2, EpochSlices: 4, LaneLocations: 2, PageLocations: 2}

// inParts are options with which a ring of 12 has a block of calls in several parts.
var inParts = store.Options{SliceEvents: 24, Fanout: 64}

// pairsTrace is a trace of events that open and close pairs of all families that files list.
func pairsTrace() trace.Source { return tracegen.Paired(3, 3, 2, 300) }

// idleTrace is a trace of three locations, of which one has no events, and whose ids do not rise.
func idleTrace() trace.Source {
	return tracegen.Random(6, tracegen.Knobs{Processes: 2, Threads: 2, IdleThreads: true, Length: 12, Regions: 2, Step: 100, Lattice: 10, Repeat: 3})
}

// classesTrace makes a trace of events that are about two thirds of a tick apart: whether one begins a new tick depends on more than the one before.
func classesTrace() trace.Source {
	src := tracegen.New(trace.Meta{})
	b := src.Location(0, src.Process("process"))
	r := rand.New(rand.NewPCG(1, 1))
	var now int64
	for range 1200 {
		now += 60 + r.Int64N(12)
		b.Append(trace.KindMeasurementOnOff, now/100, 0)
	}
	return src
}

// classesOptions are those with which one slice of it has four states, and one has one.
var classesOptions = store.Options{SliceEvents: 1040}

// hashed are options with which a file has hashes of structure, in two lanes and several levels.
var hashed = store.Options{SliceEvents: 40, Fanout: 2, EpochSlices: 4, LaneLocations: 1, Hashes: true}

// grouped are options with which groups have other slices than nodes.
var grouped = map[string]store.Options{
	"groups-that-are-smaller": {SliceEvents: 8, Fanout: 4, GroupSlices: 2, EpochSlices: 4},
	"groups-that-are-greater": {SliceEvents: 8, Fanout: 2, GroupSlices: 4, EpochSlices: 4},
	"groups-across-nodes":     {SliceEvents: 8, Fanout: 6, GroupSlices: 4, EpochSlices: 8, Hashes: true},
}

// tablesOptions are options with which tables have vectors of several children, and with which there are bins.
var tablesOptions = map[string]store.Options{
	"-of-long-runs":   {SliceEvents: 60, Fanout: 8, LaneLocations: 2},
	"-of-wide-slices": {SliceEvents: 150, Fanout: 4, LaneLocations: 2},
}

// feature is a sound file: a trace and the way it is written.
type feature struct {
	name  string
	open  func() trace.Source
	opt   store.Options
	write func(trace.Source, store.Options) ([]byte, error)
}

// featureFiles lists the files of all feature traces, and of two regular ones.
func featureFiles() (list []feature) {
	for _, f := range featureTraces() {
		opt := small
		if f.name == "hashes" {
			opt = hashed
		}
		list = append(list, feature{f.name, f.open, opt, File})
		if f.whole {
			list = append(list, feature{f.name + "-in-one-slice", f.open, store.Options{}, File})
		}
		if f.name == "tables" {
			for _, name := range slices.Sorted(maps.Keys(tablesOptions)) {
				list = append(list, feature{f.name + name, f.open, tablesOptions[name], File})
			}
		}
		if f.name == "ring" || f.name == "auxiliary" {
			list = append(list, feature{f.name + "-compressed", f.open, small, compressedFile})
		}
	}
	list = append(list, readings()...)
	list = append(list, feature{"pairs", pairsTrace, small, File})
	list = append(list, feature{"parts-of-items", func() trace.Source { return tracegen.Ring(12, 8, 1) }, inParts, File})
	list = append(list, feature{"classes", classesTrace, classesOptions, File})
	list = append(list, feature{"counters-on-a-lattice", ticksOfCounters, store.Options{}, File})
	list = append(list, feature{"texts", textsTrace, textsOptions, File})
	list = append(list, feature{"phrases", phrasesTrace, store.Options{}, phrasesFile})
	list = append(list, feature{"pages-of-lanes", func() trace.Source { return tracegen.Ring(3, 3, 1) }, inPages, File})
	for _, name := range slices.Sorted(maps.Keys(grouped)) {
		list = append(list, feature{name, func() trace.Source { return tracegen.Ring(2, 2, 1) }, grouped[name], File})
	}
	list = append(list, feature{"pages-of-locations", idleTrace, inSmallPages, File})
	return append(list, feature{"ticks", ticksTrace, regularOptions, File}, feature{"regular", regularTrace, regularOptions, File})
}

// features makes the vectors of one feature each.
func features() ([]Vector, error) {
	var all []Vector
	for _, f := range featureFiles() {
		file, err := f.write(f.open(), f.opt)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		want, err := dumpOf(f.open(), file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		all = append(all, Vector{f.name, file, want})
	}
	profile, err := profileVector()
	return append(all, profile), err
}

// profileVector makes the file at the edge of what every reader must accept. What it holds is long, so a digest of it is expected.
func profileVector() (v Vector, err error) {
	v.Name = ProfileOfABlock
	if v.File, err = File(profileTrace(), store.Options{SliceEvents: 262_144}); err != nil {
		return v, err
	}
	want, err := dumpOf(profileTrace(), v.File)
	if err != nil {
		return v, err
	}
	b, err := json.Marshal(want)
	if err != nil {
		return v, err
	}
	v.Expected, err = DigestOf(b)
	return v, err
}

// ProfileOfABlock is the name of the one vector of which a digest is expected.
const ProfileOfABlock = "profile-of-a-block"

// Digest stands for a long dump.
type Digest struct {
	// SHA256 is that of the dump as JSON with sorted keys, without white space.
	SHA256 string `json:"digest"`
}

// DigestOf returns the digest of a dump that is JSON.
func DigestOf(dump []byte) (d Digest, err error) {
	var v any
	in := json.NewDecoder(bytes.NewReader(dump))
	in.UseNumber()
	if err := in.Decode(&v); err != nil {
		return d, err
	}
	b, err := json.Marshal(v) // sorts keys
	return Digest{fmt.Sprintf("%x", sha256.Sum256(b))}, err
}
