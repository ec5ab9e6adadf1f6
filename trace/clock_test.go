package trace

import "testing"

// The clock offsets of location 0 of an archive that holds every OTF2 record, and times as the OTF2 library corrects
// them.
func TestClockCorrected(t *testing.T) {
	var c Clock
	c.Add(1000010, -2000)
	c.Add(1100000, 3000)
	c.Add(1200000, 2500)
	cursor := 0
	for _, times := range []struct{ local, corrected uint64 }{
		{1000010, 998010},                 // where an offset was measured
		{1200000, 1202500},                // at the end of the last interval
		{1<<64 - 1, 18354510353341012359}, // more than 2^63 ticks from any offset
	} {
		if got := c.Corrected(times.local, &cursor); got != times.corrected {
			t.Errorf("local time %d: corrected to %d, want %d", times.local, got, times.corrected)
		}
	}
}
