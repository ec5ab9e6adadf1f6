package read

import (
	"github.com/pandotrace/pando/format"
)

// AtOnce is the most calls and messages, and words and times of events, that are put in order at once, the most channels whose ends
// are paired at once, the most events of slices that are worked on beside others, about the events of lanes that are worked on together
// where lanes are worked on one after the other, and the number of lanes from which on structure is read like that. A slice of more than twice as many calls
// as Sorted, and as OfLocation for each location, is sorted in parts: it does not fit into a processor's cache, and is no work for two.
type AtOnce struct{ Calls, Messages, Words, Channels, Events, Lanes, ManyLanes, Sorted, OfLocation int }

// AtOnceOf returns it for a reader with some limits, of a file whose blocks may take so much memory: to decode lanes for each span again
// is for files that say too much for their size.
func AtOnceOf(l format.Limits, room int64) AtOnce {
	const callRoom, messageRoom, wordRoom, eventRoom = 400, 400, 32, 128 // bytes: calls are copied once, and two slices are worked on
	return AtOnce{
		Calls: max(l.LaneEvents/4, int(room/callRoom)), Messages: max(l.LaneEvents/4, int(room/messageRoom)),
		Words: max(l.LaneValues/2, int(room/wordRoom)), Channels: l.LaneEvents / 4, Events: max(l.LaneEvents/2, int(room/eventRoom)),
		Lanes: 1 << 17, ManyLanes: 16, Sorted: 3 << 12, OfLocation: 1 << 8,
	}
}
