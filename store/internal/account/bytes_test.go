package account

import (
	"testing"

	"github.com/pandotrace/pando/format"
)

// Every kind of blocks that has a name has a use, or is divided further.
func TestEveryKindOfBlocksHasAUse(t *testing.T) {
	none := format.BlockKind(0).String()
	for n := range 256 {
		k := format.BlockKind(n)
		_, ok := blockUses[k]
		if known, divided := k.String() != none, k == format.BlockSlice || k == format.BlockModel; known != (ok || divided) {
			t.Errorf("%v (%d): a use %t", k, n, ok)
		}
	}
}
