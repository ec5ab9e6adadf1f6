package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Kinds of counters, with the numbers of the kernel.
const (
	perfHardware = 0
	perfSoftware = 1
	perfRaw      = 4
)

// hardware and software are names of counters, in the order of the kernel's numbers.
var (
	hardware = []string{"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses", "bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"}
	software = []string{"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults", "major-faults", "alignment-faults", "emulation-faults"}
)

// maxCounters is how many counters there may be.
const maxCounters = 8

// counter is what the kernel counts.
type counter struct {
	name   string
	kind   uint32
	config uint64
	user   bool // it counts what the program itself does, and not what the kernel does for it
}

// parseCounters finds counters by their names, which commas separate.
func parseCounters(names string) (list []counter, err error) {
	for name := range strings.SplitSeq(names, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		c := counter{name: name, kind: perfRaw}
		digits, raw := strings.CutPrefix(name, "r")
		number, wrong := strconv.ParseUint(digits, 16, 64)
		switch i, k := slices.Index(hardware, name), slices.Index(software, name); {
		case i >= 0:
			c.kind, c.config = perfHardware, uint64(i)
		case k >= 0:
			c.kind, c.config = perfSoftware, uint64(k)
		case raw && wrong == nil:
			c.config = number
		default:
			return nil, fmt.Errorf("record: no counter is called %q; there are %s, %s, and r with a hexadecimal number of the processor's manual", name, strings.Join(hardware, ", "), strings.Join(software, ", "))
		}
		if list = append(list, c); len(list) > maxCounters {
			return nil, fmt.Errorf("record: there may be %d counters", maxCounters)
		}
	}
	return list, nil
}

// CheckCounters returns why the kernel does not count on this machine what names say, separated by commas; nil if it does, or if there are none.
func CheckCounters(names string) error {
	list, err := parseCounters(names)
	if err != nil || len(list) == 0 {
		return err
	}
	c, err := openCounters(list)
	if err == nil {
		c.close()
	}
	return err
}

// CountThread has the location record Options.Counters of the calling thread: their values stand before each enter and leave of a call that is recorded, and cost a system call. The goroutine must be locked to its thread
// (runtime.LockOSThread) as long as it records on the location. Without Options.Counters it does nothing.
func (l *Location) CountThread() error {
	list, err := parseCounters(l.r.count)
	if err != nil || len(list) == 0 || l.dead {
		return err
	}
	c, err := openCounters(list)
	if err != nil {
		return err
	}
	for i := range c.list {
		s := metricSpec{name: c.list[i].name, kind: defineCounter}
		if strings.HasSuffix(s.name, "-clock") {
			s.unit = "ns"
		}
		if c.list[i].user {
			s.name += ":u"
		}
		c.metrics = append(c.metrics, l.r.metric(s))
	}
	l.counters.close()
	l.counters, l.kind = c, 0
	return nil
}

// counters are those of a thread, which the kernel reads together.
type counters struct {
	list    []counter
	files   []int
	metrics []Metric
	buffer  [1 + maxCounters]uint64 // how many there are, and their values
}
