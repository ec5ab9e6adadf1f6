package main

import (
	"fmt"
	"path/filepath"
)

// point is a generated trace, and how many cores write and read it.
type point struct {
	name  string
	args  []string // of bench/generate
	cores int
	file  string
}

// series is points that differ in one thing. All are compared with the first.
type series struct {
	name   string
	points []point
}

// windowCalls is how many calls begin in a window of a generated trace, about 10,000 events.
const windowCalls = 5000

// scaling shows what grows with a trace, and what does not.
func (b *bench) scaling() error {
	base, err := b.sample(b.base)
	if err != nil {
		return err
	}
	b.printf(`
Generated traces. *Events* and *cores*: %s played again and again with other times (bench/generate). *Locations* and *depth*: a
few calls left and entered again, over and over, below as many open ones as the depth says; 5 and 8 locations if nothing else is
said. Ratios are to the first of the same series. Making the events is part of the time of writing. Windows are of about 10,000
events, their calls counted: %d random ones, warm. Bytes are read from a file just opened; opening it reads its last part.
`, base.name, b.windows)
	all := b.allSeries(base)
	writing := newTable("series", "trace", "events", "locations", "wall M/s", "CPU M/s", "memory MB", "bytes/event", "speed ratio", "size ratio")
	reading := newTable("series", "trace", "calls", "bytes", "p50 ms", "p99 ms", "p50 ratio", "p99 ratio", "bytes ratio")
	for _, s := range all {
		if err = b.write(s, writing); err == nil {
			err = b.read(s, reading)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", s.name, err)
			break
		}
	}
	b.table(writing)
	b.table(reading)
	return err
}

func (b *bench) allSeries(s *sample) []series {
	usual := b.events[(len(b.events)-1)/2]
	played := func(name string, events float64, cores int) point {
		return point{name: name, args: []string{"-base", s.path, "-events", fmt.Sprint(events)}, cores: cores}
	}
	extreme := func(name, kind string, more ...string) point {
		return point{name: name, args: append([]string{"-extreme", kind, "-events", fmt.Sprint(usual)}, more...), cores: b.threads}
	}
	events, locations, cores := series{name: "events"}, series{name: "locations"}, series{name: "cores"}
	for _, n := range b.events {
		events.points = append(events.points, played(grouped(fmt.Sprintf("%.0f", n)), n, b.threads))
	}
	for _, n := range b.locations {
		number := fmt.Sprintf("%.0f", n)
		locations.points = append(locations.points, extreme(grouped(number), "shallow", "-ranks", number))
	}
	for n := 1; n <= b.threads; n *= 2 {
		cores.points = append(cores.points, played(fmt.Sprint(n), usual, n))
	}
	depth := series{"depth", []point{extreme("5", "shallow", "-depth", "5"), extreme("1,000", "deep", "-depth", "1000")}}
	all := []series{events, locations, cores, depth}
	for i := range all {
		for j := range all[i].points {
			all[i].points[j].file = filepath.Join(b.work, fmt.Sprintf("generated.%d.pando", j))
		}
	}
	return all
}
