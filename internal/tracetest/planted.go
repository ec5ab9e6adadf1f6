package tracetest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plantedPrefix begins the names of traces of which the truth is known.
const plantedPrefix = "otf2.planted."

// Planted lists the traces below PANDO_TRACES whose truth is known, without the beginning otf2.planted. of their names. Without any it skips
// the test.
func Planted(t testing.TB) (names []string) {
	t.Helper()
	for _, name := range LargerOf(t, "otf2") {
		if plain, ok := strings.CutPrefix(name, plantedPrefix); ok {
			names = append(names, plain)
		}
	}
	if len(names) == 0 {
		t.Skip("PANDO_TRACES has no planted traces")
	}
	return names
}

// PlantedDir returns the folder of a planted trace, and reads what is known of it, from the JSON beside its archive. Without any it skips the
// test.
func PlantedDir(t testing.TB, name string, truth any) (dir string) {
	t.Helper()
	if !slices.Contains(Planted(t), name) {
		t.Fatalf("PANDO_TRACES has no trace %s%s", plantedPrefix, name)
	}
	text, err := os.ReadFile(filepath.Join(os.Getenv("PANDO_TRACES"), "planted."+name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, truth); err != nil {
		t.Fatalf("planted.%s.json: %v", name, err)
	}
	return Anchor(t, plantedPrefix+name)
}
