package ticks

import (
	"os"
	"strings"
)

// Counter returns the processor's time stamp counter.
func Counter() uint64

// Steady reports whether the counter runs at one rate on all processors: if the kernel itself keeps time by it.
func Steady() bool {
	source, err := os.ReadFile("/sys/devices/system/clocksource/clocksource0/current_clocksource")
	return err == nil && strings.TrimSpace(string(source)) == "tsc"
}
