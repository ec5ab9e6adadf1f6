package record

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"syscall"
	"unsafe"
)

// perfAttributes is the kernel's struct perf_event_attr, as of version 5.
type perfAttributes struct {
	kind, size      uint32
	config          uint64
	period          uint64
	sample, format  uint64
	flags           uint64
	wakeup, address uint32
	more            [8]uint64
}

const (
	perfDisabled      = 1 << 0
	perfFormatGroup   = 1 << 3
	perfExcludeKernel = 1 << 5
	perfExcludeHV     = 1 << 6
	perfCloseOnExec   = 1 << 3
	// perfGroup says that an ioctl is for the whole group
	perfGroup = 1
	// switches and migrations happen in the kernel.
	perfSwitches, perfMigrations = 3, 4
)

// openCounter opens a counter of the calling thread: the first of a group, for -1, or one of the group. A group counts when it is enabled.
func openCounter(c *counter, group int) (int, error) {
	a := perfAttributes{kind: c.kind, config: c.config, format: perfFormatGroup, flags: perfExcludeHV}
	a.size = uint32(unsafe.Sizeof(a))
	if c.user {
		a.flags |= perfExcludeKernel
	}
	if group < 0 {
		a.flags |= perfDisabled
	}
	f, _, number := syscall.Syscall6(syscall.SYS_PERF_EVENT_OPEN, uintptr(unsafe.Pointer(&a)), 0, ^uintptr(0), uintptr(group), perfCloseOnExec, 0)
	if number != 0 {
		return -1, number
	}
	return int(f), nil
}

// openCounters opens counters of the calling thread, as one group. All begin to count at once: one that is added to a group that counts already may wait for the next switch of the thread.
func openCounters(list []counter) (*counters, error) {
	o := &counters{list: slices.Clone(list)}
	for i := range o.list {
		c, group := &o.list[i], -1
		if i > 0 {
			group = o.files[0]
		}
		f, err := openCounter(c, group)
		// Without privileges, the kernel lets a process count itself, but nothing that happens in the kernel.
		if inKernel := c.kind == perfSoftware && (c.config == perfSwitches || c.config == perfMigrations); forbidden(err) && !inKernel {
			c.user = true
			f, err = openCounter(c, group)
		}
		if err != nil {
			o.close()
			return nil, fmt.Errorf("record: counter %s%s: %w", c.name, reason(err, i), err)
		}
		o.files = append(o.files, f)
	}
	if _, _, number := syscall.Syscall(syscall.SYS_IOCTL, uintptr(o.files[0]), perfEnable(), perfGroup); number != 0 {
		o.close()
		return nil, fmt.Errorf("record: enabling counters: %w", number)
	}
	return o, nil
}

// perfEnable is ioctl's request to enable counters, PERF_EVENT_IOC_ENABLE.
func perfEnable() uintptr {
	const request = '$' << 8
	switch runtime.GOARCH {
	case "mips", "mipsle", "mips64", "mips64le", "ppc64", "ppc64le", "sparc64":
		return request | 1<<29 // they mark requests without data
	}
	return request
}

func forbidden(err error) bool {
	return errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.EPERM)
}

// reason says more of an error than the kernel.
func reason(err error, before int) string {
	switch {
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.ENODEV):
		return ": this machine has none (virtual machines often have not)"
	case forbidden(err):
		return ": the kernel forbids it, see /proc/sys/kernel/perf_event_paranoid"
	case errors.Is(err, syscall.EINVAL) && before > 0:
		return ", with those before it: too many at once"
	}
	return ""
}

// read returns the values of all.
func (c *counters) read() ([]uint64, bool) {
	size := uintptr(8 * (1 + len(c.files)))
	n, _, _ := syscall.RawSyscall(syscall.SYS_READ, uintptr(c.files[0]), uintptr(unsafe.Pointer(&c.buffer)), unsafe.Sizeof(c.buffer))
	return c.buffer[1 : 1+len(c.files)], n == size
}

func (c *counters) close() {
	if c == nil {
		return
	}
	for _, f := range c.files {
		syscall.Close(f)
	}
}
