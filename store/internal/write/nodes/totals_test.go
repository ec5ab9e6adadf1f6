package nodes

import (
	"testing"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/store/internal/blockio"
)

// Sums that are compacted come to the same.
func TestSumLogsAddUp(t *testing.T) {
	room := &blockio.Logs{}
	defer room.Spool.Close()
	n := newTotals(index.Tree{Fanout: 16}, 1, room)
	const rows = 5 * logEntries
	for i := range uint64(rows) {
		n.Add(tables.Calls, n.RunOf(i%16, i%16), tables.Row{Key: tables.Key{i % 7, i % 3}, Sums: [4]uint64{1, i}})
	}
	count, ticks := uint64(0), uint64(0)
	runs, err := n.logs[tables.Calls].rows(tables.Calls, &blockio.RowSpace{})
	for _, rows := range runs {
		for _, r := range rows {
			count, ticks = count+r.Sums[0], ticks+r.Sums[1]
		}
	}
	if err != nil || count != rows || ticks != rows*(rows-1)/2 {
		t.Errorf("%d calls of %d ticks (%v), want %d of %d", count, ticks, err, rows, rows*(rows-1)/2)
	}
	if l := &n.logs[tables.Calls]; l.entries > 2*logEntries || len(runs) != 31 {
		t.Errorf("%d entries in %d runs are left of %d", l.entries, len(runs), rows)
	}
}
