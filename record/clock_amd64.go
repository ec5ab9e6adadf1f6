package record

import (
	"os"
	"strings"
)

// counter returns the processor's time stamp counter.
func counter() uint64

// steadyCounter reports whether the counter runs at one rate on all processors: if the kernel itself keeps time by it.
func steadyCounter() bool {
	source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	return err == nil && strings.TrimSpace(string(source)) == "tsc"
}
