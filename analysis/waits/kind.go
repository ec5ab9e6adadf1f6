package waits

// Kind says what a call waits for.
type Kind uint8

// The kinds of waits.
const (
	// LateSender is a receive that waits for its message to be sent.
	LateSender Kind = iota
	// LateReceiver is a send that waits for the receive to be posted.
	LateReceiver
	// Barrier is a barrier that waits for the last location.
	Barrier
	// AllToAll is an operation in which each location needs something of all others, and waits for the last one.
	AllToAll
	// LateRoot is an operation in which all need something of one location, the root, and wait for it: a broadcast.
	LateRoot
	// EarlyRoot is an operation in which one location, the root, needs something of all others, and waits for the last one: a reduction.
	EarlyRoot
	// EarlyScan is an operation in which a location needs something of all before it, and waits for the last one of these.
	EarlyScan
	// Kinds is the number of kinds.
	Kinds
)

var kindNames = [Kinds]string{"late sender", "late receiver", "barrier", "all to all", "late root", "early root", "early scan"}

// String returns the name of the kind.
func (k Kind) String() string {
	if k < Kinds {
		return kindNames[k]
	}
	return "unknown"
}

// kindOf are the kinds of waits at the operations of trace.EnumCollectiveOp. Those that make and free handles have none: nothing says that
// they wait.
var kindOf = map[uint64]Kind{
	0: Barrier, 1: LateRoot, 2: EarlyRoot, 3: EarlyRoot, 4: LateRoot, 5: LateRoot, 6: AllToAll, 7: AllToAll, 8: AllToAll, 9: AllToAll,
	10: AllToAll, 11: AllToAll, 12: EarlyRoot, 13: AllToAll, 14: EarlyScan, 15: EarlyScan, 16: AllToAll,
}
