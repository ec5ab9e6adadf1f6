package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A grid that is inferred of the ranks' messages is in the file, in tables, and in the archive of the file and what is made of that; events stay as they are.
func TestInferredTopology(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	output(t, "convert", "--quiet", filepath.Join("..", "..", "examples", "heat.tar.zst"), at("heat.pando"))
	if text := output(t, "topologies", at("heat.pando"), "--inferred", "-o", at("placed.pando")); !strings.Contains(text, "4 x 4 grid inferred: coordinates of 16 ranks of MPI_COMM_WORLD") {
		t.Errorf("%s", text)
	}
	output(t, "verify", "--deep", at("placed.pando"))
	output(t, "topologies", at("heat.pando"), "--inferred", "--quiet", "--name", "plate", "-o", at("archive/placed.otf2"))
	output(t, "convert", "--quiet", at("archive/placed.otf2"), at("back.pando"))
	for name, want := range map[string]string{"placed": "inferred", "back": "plate"} {
		table := output(t, "export", at(name+".pando"), "--tables", "topologies", "--format", "csv", "-o", "-")
		lines := strings.Split(strings.TrimSpace(table), "\n")
		if len(lines) != 17 || !strings.Contains(lines[7], want+",true,4 x 4,") || !strings.Contains(lines[7], `"2,1"`) {
			t.Errorf("%s: %d lines: %s", name, len(lines), lines[7])
		}
	}
	if text := output(t, "patterns", at("placed.pando"), "--matrix"); !strings.Contains(text, "rank 9 (1,2) ") {
		t.Errorf("no coordinates in the matrix: %s", text)
	}
	sum := func(name string) string {
		_, rest, _ := strings.Cut(output(t, "info", at(name)), "sha-256")
		line, _, _ := strings.Cut(rest, "\n")
		return line
	}
	if a, b := sum("heat.pando"), sum("placed.pando"); a != b || a == "" {
		t.Errorf("fingerprints %s and %s", a, b)
	}
	if text := output(t, "info", at("placed.pando")); !strings.Contains(text, "1 topology") {
		t.Errorf("%s", text)
	}
	for want, args := range map[string][]string{
		"the trace has this topology already: 4 x 4 grid inferred": {at("placed.pando"), "--inferred", "-o", at("x.pando")},
		"--inferred writes a new file":                             {at("heat.pando"), "--inferred"},
		"x.json: the trace with the topology is called":            {at("heat.pando"), "--inferred", "-o", at("x.json")},
		"x.txt: the trace with the topology is called":             {at("heat.pando"), "--inferred", "-o", at("x.txt")},
		"--from belongs to --inferred":                             {at("heat.pando"), "--from", "1s"},
		"which standard input cannot be":                           {"-", "--inferred", "-o", at("x.pando")},
		"there are no messages":                                    {at("heat.pando"), "--inferred", "--to", "1ms", "-o", at("x.pando")},
	} {
		if _, stderr, code := pando(append([]string{"topologies"}, args...)...); code == exitOK || !strings.Contains(stderr, want) {
			t.Errorf("%v: code %d, %s", args, code, stderr)
		}
	}
	if _, err := os.Stat(at("x.pando")); err == nil {
		t.Error("an output appeared after an error")
	}
}
