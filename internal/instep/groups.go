package instep

import "github.com/pandotrace/pando/trace"

// Groups returns the event streams by their [trace.StreamInfo] groups. The groups are in the order of their first streams.
func Groups(streams []trace.StreamInfo) (groups [][]trace.StreamInfo) {
	places := map[uint32]int{}
	for _, s := range streams {
		if s.Class != trace.StreamEvents {
			continue
		}
		at, ok := places[s.Group]
		if !ok {
			at = len(groups)
			places[s.Group] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], s)
	}
	return groups
}
