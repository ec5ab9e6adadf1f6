package read

// A file on a server is read in rounds: requests that are made at once take no longer than one. What a summary needs follows from the
// directory but for one thing: how many children a vector of a table stands for. So the tables on the ways from the root to the ends of the
// window are read first, with the slices there; they list the other ones that are needed. A block that the plan has missed is read when it is used.

const (
	PlanRounds = 6         // blocks are planned and read so often at most; as a rule, nothing is left after two
	SpareBytes = 256 << 10 // that much of tables is read at once that may not be needed: it takes less time than another round
)
