package read

import (
	"github.com/pandotrace/pando/store/internal/pairing"
)

// Talkers are those whose messages are wanted.
type Talkers struct {
	Lanes     []uint32                   // in ascending order
	Processes map[pairing.ProcessID]bool // nil for all
}
