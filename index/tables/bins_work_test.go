package tables

import (
	"runtime"
	"testing"
)

// Joining costs the same for each line however many there are, and lines that come in falling order cost no more.
func TestWorkOfManyLines(t *testing.T) {
	const most = 700 // bytes allocated for each line
	for _, lines := range []int{20_000, 40_000} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		sum, space := NewBinSum(0), &BinSpace{}
		const children = 4
		for child := range children {
			g := NewBinGrid(int64(child * lines))
			g.Limit(8)
			g.Extend(int64((child + 1) * lines))
			for i := range lines / children {
				t := int64(child*lines + i)
				g.Add(g.Line(0, uint32(lines-child*lines/children-i)), t, t+1)
			}
			sum.Join(g.Sum(), space)
		}
		runtime.ReadMemStats(&after)
		each := (after.TotalAlloc - before.TotalAlloc) / uint64(lines)
		if t.Logf("%d bytes for each of %d lines", each, lines); each > most || sum.Lines() != lines {
			t.Errorf("%d of %d lines ask for %d bytes each, more than %d", sum.Lines(), lines, each, most)
		}
	}
}
