package fold

// Row is what became of a group. It is valid until the next step of the iteration.
type Row struct {
	// Group is its place in the list, Members the number of its locations that the window has.
	Group, Members int
	Pixels         []Pixel
	// Errors are for each pixel the ticks that a region's time on any one member may be off: 0 where it was read exactly. States, and
	// quantiles, are chosen by such times. What is no bound in [Busy] is off by as much, at most.
	Errors []uint64
}

// Pixel is a part of a row.
type Pixel struct {
	State
	// Ticks is the time that the members spent in the state, all together.
	Ticks uint64
	// Apart is by how much members differ: the pixel's ticks less those that all members spent in each state, at least. It is 0 if all spent
	// it alike.
	Apart uint64
	Busy  Busy
}

// State is what a row shows in a pixel.
type State struct {
	Kind StateKind
	// Region is the id of the region of [Called].
	Region uint64
}

// StateKind says whether a pixel shows a region.
type StateKind uint8

const (
	// Nothing is shown where there is nothing to choose: no differences, or pixels that have no time.
	Nothing StateKind = iota
	// NoCall is time without any call.
	NoCall
	// Called is time in a region.
	Called
)

// Busy is the time in calls, in ticks. At most the pixel's is in calls on each member.
type Busy struct {
	// Least and Most are those of members, Sum is that of all.
	Least, Most, Sum uint64
	// Low and High bound the time in which at least one member is busy: the utilisation of what the members share. They are equal, unless
	// [Options.Quick] left open what they are.
	Low, High uint64
	// Quartiles are, with [Quantiles], those of the members in order of their time: that of the one at ⌊(n-1)·i/4⌋ of n, from 0, for i of 1 to
	// 3. Of pixels longer than 2³² ticks they are rounded down to one part in 2³².
	Quartiles [3]uint64
}
