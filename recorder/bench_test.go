package recorder_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// BenchmarkCalls tells what an Enter or a Leave costs, in processor time: with the clock and with time given, in a budget that is never full and in one
// of 8 MiB, in the modes.
func BenchmarkCalls(b *testing.B) {
	program := built(b, "gcc", "speed", "-std=c99", "-D_GNU_SOURCE", "testdata/speed.c")
	for _, given := range []string{"0", "1"} {
		for name, variables := range map[string][]string{
			"full never":        {"PANDO_BUDGET=1G"},
			"by duration, 8MiB": {"PANDO_BUDGET=8M"},
			"last, 8MiB":        {"PANDO_BUDGET=8M", "PANDO_MODE=last"},
			"by level, 8MiB":    {"PANDO_BUDGET=8M", "PANDO_REDUCE=level"},
			"by class, 8MiB":    {"PANDO_BUDGET=8M", "PANDO_REDUCE=class:third; none"},
			"occurrence, 8MiB":  {"PANDO_BUDGET=8M", "PANDO_REDUCE=occurrence"},
			"phases, 8MiB":      {"PANDO_BUDGET=8M", "PANDO_PHASES=first=every:100"},
		} {
			b.Run(name+", given "+given, func(b *testing.B) {
				cmd := command(b, filepath.Join(b.TempDir(), "run.d"), program, strconv.Itoa(max(1, b.N/42)), given)
				cmd.Env = append(cmd.Env, append(variables, "PANDO_PREFAULT=1")...)
				cmd.Stderr = os.Stderr
				out, err := cmd.Output()
				if err != nil {
					b.Fatal(err)
				}
				ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(ns, "ns-of-processor/event")
			})
		}
	}
}
