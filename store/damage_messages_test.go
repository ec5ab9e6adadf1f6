package store_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// A table of messages that is wrong in one lane of many is found, and nothing is said of the other lanes: however many lanes are checked
// together, and whether all messages of a slice are looked at at once.
func TestWrongMessagesOfOneLane(t *testing.T) {
	t.Parallel()
	file := manyLanes(t)
	blocks := damage.Blocks(file)
	readers := map[string]func(*store.Reader){
		"all lanes": func(*store.Reader) {},
		"parts":     func(r *store.Reader) { r.AtOnce(100, 20, 100, 3) },
	}
	for name, narrow := range readers {
		for _, cache := range []int64{0, 1} { // with 1, lane by lane
			if problems := problemsWith(t, file, cache, narrow); len(problems) > 0 {
				t.Fatalf("%s, cache %d: a sound file has %v", name, cache, problems)
			}
		}
	}
	tried, lanes, levels := 0, map[uint32]bool{}, map[int]bool{}
	for _, i := range slices.Repeat(rand.New(rand.NewPCG(1, 1)).Perm(len(blocks)), 3) {
		lie := &messageLies[tried%len(messageLies)]
		if blocks[i].Kind != format.BlockSummary || tried == 4*len(messageLies) {
			continue
		}
		s, err := tables.ReadSummary(blocks[i].Payload)
		if err != nil {
			t.Fatal(err)
		}
		other := *s
		if other.Sections[tables.Messages] = wrongMessages(s.Sections[tables.Messages], lie.change); other.Sections[tables.Messages] == nil {
			continue
		}
		changed := slices.Clone(blocks)
		changed[i].Payload = other.Append(nil)
		damaged := damage.Join(file, changed)
		name := []string{"all lanes", "parts"}[tried/len(messageLies)%2]
		onlyOf(t, lie.what, s, int64(damage.Blocks(damaged)[i].Offset), damaged, problemsWith(t, damaged, int64(tried/len(messageLies)/2), readers[name]))
		tried++
		lanes[s.Lane], levels[s.Node.Level] = true, true
	}
	if tried < 4*len(messageLies) || len(lanes) < 8 || len(levels) < 3 {
		t.Errorf("tried %d in lanes %v of levels %v", tried, lanes, levels)
	}
}

// onlyOf checks that the table at an offset is reported as wrong, and no table of another lane.
func onlyOf(t *testing.T, what string, s *tables.Summary, offset int64, file []byte, problems []error) {
	t.Helper()
	laneAt := map[int64]uint32{}
	for _, b := range damage.Blocks(file) {
		if b.Kind == format.BlockSummary {
			o, err := tables.ReadSummary(b.Payload)
			if err != nil {
				t.Fatal(err)
			}
			laneAt[int64(b.Offset)] = o.Lane
		}
	}
	told := false
	for _, p := range problems {
		at := offsetOf(p)
		if lane, ok := laneAt[at]; !ok || lane != s.Lane || !strings.Contains(p.Error(), ": part 1 of slices") {
			t.Errorf("%s in lane %d of node %v: %v", what, s.Lane, s.Node, p)
		}
		told = told || at == offset
	}
	if !told {
		t.Errorf("%s in lane %d of node %v at %d: %v", what, s.Lane, s.Node, offset, problems)
	}
}

// manyLanes returns a file of 8 lanes that talk with each other, with tables of all nodes.
func manyLanes(t *testing.T) []byte {
	t.Helper()
	k := tracegen.RandomKnobs(5)
	k.Processes, k.Threads, k.Length, k.Regions, k.Messages, k.Talk, k.Any, k.Contexts = 16, 1, 40, 3, 400, 0.6, 0.1, false
	file, err := damage.Plain(write(t, tracegen.Random(6, k), store.Options{SliceEvents: 150, Fanout: 2, LaneLocations: 2, PageLocations: 3, SummaryFactor: 1000}))
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func problemsWith(t *testing.T, file []byte, cache int64, narrow func(*store.Reader)) []error {
	t.Helper()
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{CacheBytes: cache})
	if err != nil {
		t.Fatal(err)
	}
	narrow(r)
	report, err := r.Verify(t.Context(), store.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return report.Problems
}

// wrongMessages returns a table of messages with a change, nil if there is nothing to change.
func wrongMessages(b []byte, change func([]tables.Vector) []tables.Vector) []byte {
	for children := uint64(1); len(b) > 0 && children <= 2; children++ {
		table, err := tables.ReadTable(tables.Messages, b, children)
		if err != nil || len(table.Keys) == 0 {
			continue
		}
		var vectors []tables.Vector
		for v := range table.Vectors {
			vectors = append(vectors, table.Vector(v, v+1))
		}
		if vectors = change(vectors); vectors == nil {
			return nil
		}
		other, _ := tables.NewTable(tables.Messages, table.Step, vectors)
		return other.Encode()
	}
	return nil
}

// messageLies change the vectors of a table of messages; they return nil if they cannot.
var messageLies = []struct {
	what   string
	change func([]tables.Vector) []tables.Vector
}{
	{"a message more", onSum(func(r *tables.Row) { r.Sums[tables.SumCount]++ })},
	{"a byte less", onSum(func(r *tables.Row) { r.Sums[tables.SumBytes]-- })},
	{"another pair", onSum(func(r *tables.Row) { r.Key[0], r.Key[1] = r.Key[1], r.Key[0] })},
	{"a line less", func(v []tables.Vector) []tables.Vector {
		if len(v[0]) < 2 {
			return nil
		}
		v[0] = v[0][1:]
		return v
	}},
	{"none at all", func(v []tables.Vector) []tables.Vector { return make([]tables.Vector, len(v)) }},
	{"another vector", func(v []tables.Vector) []tables.Vector {
		if len(v) < 2 || slices.Equal(v[0], v[1]) {
			return nil
		}
		v[0], v[1] = v[1], v[0]
		return v
	}},
}

// onSum changes the first row that has bytes, and whose opposite there is not.
func onSum(change func(*tables.Row)) func([]tables.Vector) []tables.Vector {
	return func(vectors []tables.Vector) []tables.Vector {
		for _, v := range vectors {
			for i := range v {
				opposite := slices.ContainsFunc(v, func(r tables.Row) bool { return r.Key[0] == v[i].Key[1] && r.Key[1] == v[i].Key[0] })
				if v[i].Sums[tables.SumBytes] > 0 && !opposite {
					change(&v[i])
					slices.SortFunc(v, func(a, b tables.Row) int { return a.Key.Compare(&b.Key) })
					return vectors
				}
			}
		}
		return nil
	}
}
