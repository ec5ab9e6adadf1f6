package tracegen

// Knobs say what a random trace is like. Shares are probabilities per event.
type Knobs struct {
	Processes int // 0 for a trace without locations
	Threads   int // of a process, at most
	Length    int // events of a location, on the average; locations differ in it, and some have none
	Regions   int
	Messages  int // sends and receives that belong together, of all locations

	Start    int64   // time of the earliest event, in ticks
	Step     int64   // usual time from event to event, at most
	Lattice  int64   // times are multiples of it
	SameTime float64 // share of events that come at the time of the one before
	Leaps    float64 // share of events that come a very long time after the one before
	Burst    int     // events of each location in one instant that all share

	Mismatch   float64 // share of leaves of anything but the innermost call
	Recursion  int     // depth of recursion bursts
	Talk       float64 // share of what locations do about messages, while there are any
	Repeat     int     // how often a motif is repeated, at most
	Any        float64 // share of events of any kind with random words
	Attributes float64 // share of events with an attribute list
	Residuals  float64 // share of events with a source-time residual

	SparseIDs   bool // location ids are large and in no order
	Contexts    bool // calling contexts among the calls
	Auxiliary   bool // auxiliary streams, and definitions of all kinds
	Late        bool // definitions that are known only after the events
	Private     bool // event kinds of the trace's own
	Undeclared  bool // a location and a member of the communicators without definition
	IdleThreads bool // threads without any event
}

// RandomKnobs draws knobs for traces of some hundreds or thousands of events.
func RandomKnobs(seed uint64) Knobs {
	d := newDice(seed, 0)
	share := func(most float64) float64 { return choose(d, []float64{0, most / 10, most}) }
	flag := func() bool { return d.chance(0.3) }
	return Knobs{
		Processes: choose(d, []int{0, 1, 1, 2, 3, 4, 4, 8, 30}), Threads: choose(d, []int{1, 1, 2, 5}),
		Length: choose(d, []int{0, 1, 5, 30, 100, 300}), Regions: choose(d, []int{1, 3, 20}),
		Messages: choose(d, []int{0, 30, 1000}), Talk: choose(d, []float64{0.2, 0.5, 0.9}),
		Start: choose(d, []int64{0, 0, 1, -500, 1 << 40, -1 << 61}), Step: choose(d, []int64{1, 10, 1000, 1 << 20}),
		Lattice: choose(d, []int64{1, 1, 10}), SameTime: choose(d, []float64{0, 0.1, 0.5, 0.95}), Leaps: share(0.05),
		Burst:    choose(d, []int{0, 0, 0, 3, 50}),
		Mismatch: share(0.3), Recursion: choose(d, []int{0, 3, 60}), Repeat: choose(d, []int{0, 2, 30}),
		Any: share(0.4), Attributes: share(0.3), Residuals: share(0.3),
		SparseIDs: flag(), Contexts: flag(), Auxiliary: flag(), Late: flag(), Private: flag(), Undeclared: flag(),
		IdleThreads: flag(),
	}
}
