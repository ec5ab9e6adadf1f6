package store_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// Tables of summaries that can be read, but are not what the slices add up to, are found by verifying.
func TestWrongSummaries(t *testing.T) {
	t.Parallel()
	k := tracegen.RandomKnobs(3)
	k.Processes, k.Threads, k.Length, k.Regions, k.Messages, k.Any, k.Contexts = 4, 1, 400, 5, 400, 0.4, false
	file, err := damage.Plain(write(t, tracegen.Random(4, k), store.Options{SliceEvents: 100, Fanout: 2, LaneLocations: 2, PageLocations: 1, SummaryFactor: 1000}))
	if err != nil {
		t.Fatal(err)
	}
	blocks := damage.Blocks(file)
	tried := map[tables.Part]int{}
	for i, b := range blocks {
		if b.Kind != format.BlockSummary {
			continue
		}
		s, err := tables.ReadSummary(b.Payload)
		if err != nil {
			t.Fatal(err)
		}
		for part := range tables.Parts {
			other := *s
			if tried[part] == 5 {
				continue
			}
			if other.Sections[part] = wrongTable(part, s.Sections[part]); other.Sections[part] == nil {
				continue
			}
			changed := slices.Clone(blocks)
			changed[i].Payload = other.Append(nil)
			problems := verify(t, damage.Join(file, changed))
			if !slices.ContainsFunc(problems, func(err error) bool { return strings.Contains(err.Error(), "is not what they hold") }) {
				t.Errorf("a wrong table of part %d of node %v: %v", part, s.Node, problems)
			}
			tried[part]++
		}
	}
	for part := range tables.Parts {
		if tried[part] == 0 {
			t.Errorf("no table of part %d was tried", part)
		}
	}
}

func verify(t *testing.T, file []byte) []error {
	t.Helper()
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.Verify(t.Context(), store.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return report.Problems
}

// wrongTable returns a table with one sum changed, nil if there is none to change. Of how many children it is, it says itself.
func wrongTable(part tables.Part, b []byte) []byte {
	if len(b) < 2 {
		return nil
	}
	for children := range uint64(3) {
		if part == tables.Metrics {
			if table, err := tables.ReadMetricTable(b, children+1); err == nil {
				return wrongMetrics(table)
			}
		} else if table, err := tables.ReadTable(part, b, children+1); err == nil {
			return wrongSums(part, table)
		}
	}
	return nil
}

func wrongSums(part tables.Part, table *tables.Table) []byte {
	var vectors []tables.Vector
	for v := range table.Vectors {
		vectors = append(vectors, table.Vector(v, v+1))
	}
	changed := false
	for _, v := range vectors {
		if len(v) > 0 && v[0].Sums[tables.SumCount] > 0 {
			v[0].Sums[1] ^= 1 // which keeps the largest sums within bounds
			changed = true
			break
		}
	}
	if !changed {
		return nil
	}
	wrong, _ := tables.NewTable(part, table.Step, vectors)
	return wrong.Encode()
}

func wrongMetrics(table *tables.MetricTable) []byte {
	var vectors []tables.MetricVector
	for v := range table.Vectors {
		vectors = append(vectors, table.Vector(v, v+1))
	}
	for _, v := range vectors {
		if len(v) > 0 {
			v[0].Max++
			break
		}
	}
	return tables.NewMetricTable(table.Step, vectors).Encode()
}
