package read

import (
	"github.com/pandotrace/pando/store/internal/pairing"
)

// MessageLanes are the lanes and processes whose messages are wanted.
type MessageLanes struct {
	Lanes     []uint32                   // in ascending order
	Processes map[pairing.ProcessID]bool // nil for all
}
