package verb

import (
	"math/big"
	"regexp"
	"sync"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/internal/heap"
	"github.com/pandotrace/pando/store"
)

// leastMemory is the least value of --memory, in bytes.
const leastMemory = 32 << 20

// MemorySize reads the memory that a conversion may take, and sets up the heap for it.
func MemorySize(text string) (n int64, err error) {
	if n, err = memorySize(text, store.DefaultMemory, "a conversion"); err == nil {
		heap.Within(n)
	}
	return n, err
}

// Memory is how much memory an analysis or an export may take.
type Memory struct{ size string }

// AddMemory adds the flag --memory.
func (m *Memory) AddMemory(cmd *cobra.Command) {
	cmd.Flags().StringVar(&m.size, "memory", "", "take about `SIZE` of memory (default 256MiB)")
	CompleteFixed(cmd, "memory", nil)
}

// Bytes reads the flag, and sets up the heap so that the process takes about that.
func (m *Memory) Bytes() (n int64, err error) {
	if n, err = memorySize(m.size, memory.Usual, "this"); err == nil {
		heap.Below(n)
	}
	return n, err
}

func memorySize(text string, usual int64, what string) (n int64, err error) {
	if n = usual; text != "" {
		if n, err = ByteSize(text); err == nil && n < leastMemory {
			err = Usagef("--memory %s: %s takes 32MiB at least", text, what)
		}
	}
	return n, err
}

// sizePattern is a number of bytes with a unit.
var sizePattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{1,19}(?:\.\d{1,6})?)(B|kB|KiB|MB|MiB|GB|GiB|)$`)
})

// byteUnits are units of sizes, in bytes.
var byteUnits = map[string]int64{"": 1, "B": 1, "kB": 1e3, "KiB": 1 << 10, "MB": 1e6, "MiB": 1 << 20, "GB": 1e9, "GiB": 1 << 30}

// ByteSize reads a size, in bytes.
func ByteSize(text string) (int64, error) {
	m := sizePattern().FindStringSubmatch(text)
	if m == nil {
		return 0, Usagef("%q is no size: write 512MiB, 1.5GB or a number of bytes", text)
	}
	v, _ := new(big.Rat).SetString(m[1])
	v.Mul(v, new(big.Rat).SetInt64(byteUnits[m[2]]))
	if n, _ := new(big.Int).SetString(v.FloatString(0), 10); n.IsInt64() {
		return n.Int64(), nil
	}
	return 0, Usagef("%q is too large a size", text)
}
