package calltree_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/analysis/calltree"
	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
)

// printed is an enter or leave as otf2-print has it.
type printed struct {
	location, region uint64
	enter            bool
	time             int64 // since the first event
}

// printedEvents returns the enters and leaves that otf2-print prints of a trace, and the time of its last event.
func printedEvents(t *testing.T, name string) (all []printed, last int64) {
	text, ok := tracetest.Dump(t, name, "print.txt")
	if !ok {
		var err error
		if text, err = exec.Command(tracetest.Oracle(t, "otf2-print"), tracetest.Anchor(t, name)).Output(); err != nil {
			t.Fatal(err)
		}
	}
	event := regexp.MustCompile(`^([A-Z_]+) +(\d+) +(\d+) (?:.*Region: .*<(\d+)>)?`)
	number := func(s string) int64 {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	first := int64(-1)
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "=== Snapshots") {
			break
		}
		m := event.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		if first < 0 {
			first = number(m[3]) // lines are in order of time
		}
		last = number(m[3]) - first
		if m[1] == "ENTER" || m[1] == "LEAVE" {
			all = append(all, printed{uint64(number(m[2])), uint64(number(m[4])), m[1] == "ENTER", last})
		}
	}
	return all, last
}

// printedPaths follows the stacks of a window call by call, in the plainest way.
func printedPaths(events []printed, last, from, to int64, name func(uint64) string) map[string]*calltree.Cell {
	type open struct {
		region uint64
		path   string
		since  int64
	}
	paths, stacks := map[string]*calltree.Cell{}, map[uint64][]open{}
	end := func(location uint64, now int64, open bool) {
		s := stacks[location]
		o := s[len(s)-1]
		stacks[location] = s[:len(s)-1]
		if o.since < to && (now > from || (open || o.since == now) && now >= from) {
			c := paths[o.path]
			if c == nil {
				c = &calltree.Cell{}
				paths[o.path] = c
			}
			ticks := max(0, min(now, to)-max(o.since, from))
			c.Calls++
			c.Inclusive += ticks
			c.Exclusive += ticks
			if len(s) > 1 {
				parent := paths[s[len(s)-2].path]
				if parent == nil {
					parent = &calltree.Cell{}
					paths[s[len(s)-2].path] = parent
				}
				parent.Exclusive -= ticks
			}
		}
	}
	for _, e := range events {
		s := stacks[e.location]
		if e.enter {
			path := fmt.Sprint(e.location, " ")
			if len(s) > 0 {
				path = s[len(s)-1].path + "/"
			}
			stacks[e.location] = append(s, open{e.region, path + name(e.region), e.time})
			continue
		}
		for len(stacks[e.location]) > 0 {
			top := stacks[e.location][len(stacks[e.location])-1]
			end(e.location, e.time, false)
			if top.region == e.region {
				break
			}
		}
	}
	for location := range stacks {
		for len(stacks[location]) > 0 {
			end(location, last, true)
		}
	}
	return paths
}

// Call paths of bundled archives are those that otf2-print's list of events adds up to, in windows of any size.
func TestPrintedEvents(t *testing.T) {
	for _, name := range []string{"otf2.amg.8.piece", "otf2.mg.S.8.snapmark", "otf2.ep.S.4.metric"} {
		t.Run(name, func(t *testing.T) {
			events, last := printedEvents(t, name)
			src, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
			if err != nil {
				t.Fatal(err)
			}
			r := stored.Source(t, src, store.Options{SliceEvents: 2000})
			defer r.Close()
			defs, err := r.Definitions()
			if err != nil {
				t.Fatal(err)
			}
			m := model.Trace{Definitions: defs}
			first := r.Info().First
			compared := 0
			for _, share := range [][2]int64{{0, 1000}, {100, 130}, {371, 372}, {500, 1000}, {0, 3}} {
				from, to := last*share[0]/1000, last*share[1]/1000
				if share[1] == 1000 {
					to = last + 1
				}
				var want []string
				for path, c := range printedPaths(events, last, from, to, m.RegionName) {
					location, names, _ := strings.Cut(path, " ")
					id, _ := strconv.ParseUint(location, 10, 64)
					want = append(want, line(model.CallPath{Location: id, Path: strings.Split(names, "/"), Calls: c.Calls, Inclusive: c.Inclusive, Exclusive: c.Exclusive}))
				}
				slices.Sort(want)
				p := profile(t, r, r.Window(first+from, first+to), calltree.Options{})
				same(t, fmt.Sprint("profile of ", share), want, flat(p))
				counts := profile(t, r, r.Window(first+from, first+to), calltree.Options{CountsOnly: true})
				if len(counts.Paths) != len(p.Paths) {
					t.Errorf("%d paths without times, %d with them", len(counts.Paths), len(p.Paths))
				}
				compared += len(want)
			}
			if compared < 50 {
				t.Errorf("only %d paths were compared", compared)
			}
			t.Logf("%d paths of %d enters and leaves", compared, len(events))
		})
	}
}
