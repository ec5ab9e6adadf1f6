package recorder_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// A reduction that is none is refused in words.
func TestBadReductions(t *testing.T) {
	program := life(t)
	for by, says := range map[string]string{
		"size":                              "the reduction is duration, level, occurrence or class:PATTERNS",
		"class: ;":                          "1 to 16 classes",
		"class:" + strings.Repeat("a;", 17): "1 to 16 classes",
		"class:a;paradigm:none":             "paradigms of the reduction are",
		"class:paradigm:256":                "paradigms of the reduction are",
		"class:" + strings.Repeat("a", 512): "more than 511 bytes",
	} {
		t.Setenv("PANDO_REDUCE", by)
		if out, err := command(t, filepath.Join(t.TempDir(), "run.d"), program, "exit").CombinedOutput(); !strings.Contains(string(out), says) {
			t.Errorf("%s: %v, %s", by, err, out)
		}
	}
}

// So are phases that are none.
func TestBadPhases(t *testing.T) {
	program := life(t)
	for phases, says := range map[string]string{
		"inner":                               "a phase is REGION=every:N",
		"inner=every:0":                       "a phase is REGION=every:N",
		"=every:2":                            "a phase is REGION=every:N",
		"inner=every:1000000001":              "a phase is REGION=every:N",
		"inner=every:2x":                      "a phase is REGION=every:N",
		strings.Repeat("a=every:2;", 16):      "more than 15 phases",
		strings.Repeat("a", 510) + "=every:2": "more than 511 bytes",
	} {
		t.Setenv("PANDO_PHASES", phases)
		if out, err := command(t, filepath.Join(t.TempDir(), "run.d"), program, "exit").CombinedOutput(); !strings.Contains(string(out), says) {
			t.Errorf("%s: %v, %s", phases, err, out)
		}
	}
}
