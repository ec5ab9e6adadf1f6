package recording

import "time"

// Process is how much a process recorded.
type Process struct {
	// Path is that of its recording.
	Path string
	// Rank is -1 if it has none.
	Rank int
	// Calls counts all calls that ended, whether they are in the trace or not; Busiest those of the location with most.
	Calls, Busiest uint64
	// Wall is how long it recorded: until it was closed, or until the clocks were compared last.
	Wall time.Duration
}

// Processes tells how much each process recorded, in the order of their ranks.
func (a *Archive) Processes() ([]Process, error) {
	list := make([]Process, len(a.files))
	for i, f := range a.files {
		list[i] = Process{Path: f.path, Rank: -1, Wall: time.Duration(max(f.last.real-f.start.real, 0))}
		if f.rank != noRank {
			list[i].Rank = int(f.rank)
		}
	}
	for _, l := range a.locations {
		totals, err := l.totals()
		if err != nil {
			return nil, err
		}
		calls := uint64(0)
		for _, t := range totals {
			calls += t.count
		}
		p := &list[l.f.index]
		p.Calls, p.Busiest = p.Calls+calls, max(p.Busiest, calls)
	}
	return list, nil
}
