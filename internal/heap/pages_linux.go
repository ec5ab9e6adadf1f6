package heap

import (
	"runtime/debug"
	"syscall"
)

// preferHugePages asks for huge pages in the n bytes of addresses that the heap grows into next. Most of the memory of a conversion is new:
// 1.2 million records of a log took 108 MB in 2,700 pages, and a quarter more time in 34,000 pages of 4 KiB. Go's heap has no option for huge
// pages. Where the kernel has none, or gives them to everybody, the function has no effect.
//
// The memory is not touched, and is given back at once, so it is neither resident nor counted by the limit of the collector. It should be
// memory that will be used and kept: a huge page that is given back in part and used again is filled anew.
func preferHugePages(n int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // once is enough
	room := make([]byte, n)
	if syscall.Madvise(room, syscall.MADV_HUGEPAGE) == nil {
		debug.FreeOSMemory()
	}
}
