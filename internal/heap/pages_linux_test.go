package heap

import (
	"bufio"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
)

// TestHugePages asks the kernel what it was advised of, and the collector what it counts.
func TestHugePages(t *testing.T) {
	advised, resident := huge(t)
	n := advised + 64<<20 // more than tests before this one have asked for
	counted := heap()
	preferHugePages(n)
	after, residentAfter := huge(t)
	if after < n {
		t.Errorf("%d bytes are advised, %d before; %d were asked for", after, advised, n)
	}
	if residentAfter-resident > n/8 {
		t.Errorf("%d bytes of them are resident, %d before", residentAfter, resident)
	}
	if more := heap() - counted; more > n/8 {
		t.Errorf("the heap counts %d bytes more", more)
	}
}

// huge returns how many bytes of the process may be huge pages, and how many of those are resident.
func huge(t *testing.T) (bytes, resident int64) {
	t.Helper()
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the kernel has no huge pages:", err)
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip("the kernel does not tell what it was advised of:", err)
	}
	defer f.Close()
	size, there := int64(0), int64(0)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch name, value, _ := strings.Cut(lines.Text(), ":"); name {
		case "Size":
			size = kibibytes(t, value)
		case "Rss":
			there = kibibytes(t, value)
		case "VmFlags":
			if strings.Contains(value+" ", " hg ") {
				bytes, resident = bytes+size, resident+there
			}
		}
	}
	return bytes, resident
}

func kibibytes(t *testing.T, value string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(value, "kB")), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

// heap returns the bytes of the heap that the limit of memory counts.
func heap() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64() + s[1].Value.Uint64() + s[2].Value.Uint64())
}
