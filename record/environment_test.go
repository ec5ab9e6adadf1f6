package record

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the options leave open comes from the environment; what they say holds.
func TestEnvironment(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "of the run")
	for name, value := range map[string]string{"PANDO_DIR": dir, "PANDO_BUDGET": "1M", "PANDO_MODE": "last", "PANDO_RUN": "77", "OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "3"} {
		t.Setenv(name, value)
	}
	r, err := Start("", Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	file, err := os.ReadFile(filepath.Join(dir, "3.pandorec"))
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	if n := len(file); n > 1<<20 || n < 1<<20-64<<10 || le.Uint64(file[atRun:]) != 77 || le.Uint32(file[atMode:]) != uint32(Last) || le.Uint32(file[atRanks:]) != 4 {
		t.Errorf("%d bytes, run %d, mode %d, %d ranks", n, le.Uint64(file[atRun:]), le.Uint32(file[atMode:]), le.Uint32(file[atRanks:]))
	}
	other := t.TempDir()
	t.Setenv("PANDO_REDUCE", "class: get?; paradigm:mpi")
	if r, err = Start(other, Options{Budget: 256 << 10, Mode: Keep, Ranks: 2, Rank: 1}); err != nil {
		t.Fatal(err)
	}
	r.Close()
	if file, err = os.ReadFile(filepath.Join(other, "1.pandorec")); err != nil || len(file) > 256<<10 || le.Uint32(file[atMode:]) != uint32(Keep) || le.Uint32(file[atReduction:]) != byClass ||
		le.Uint32(file[atClasses:]) != 2 || !strings.HasPrefix(string(file[atClassText:]), "get?; paradigm:mpi\x00") {
		t.Errorf("%d bytes, mode %d, %v", len(file), le.Uint32(file[atMode:]), err)
	}
}

// A variable that says nothing sensible is an error that names it.
func TestBadEnvironment(t *testing.T) {
	for _, c := range []string{"PANDO_BUDGET=much", "PANDO_BUDGET=99999999999G", "PANDO_BUDGET=1K", "PANDO_MODE=some", "PANDO_REDUCE=size", "PANDO_REDUCE=class:", "PANDO_REDUCE=class:a; paradigm:256", "PANDO_RUN=-1", "PANDO_RANKS=few", "PANDO_PREFAULT=yes"} {
		t.Run(c, func(t *testing.T) {
			name, value, _ := strings.Cut(c, "=")
			t.Setenv(name, value)
			if _, err := Start(t.TempDir(), Options{}); err == nil || c != "PANDO_BUDGET=1K" && !strings.Contains(err.Error(), name) {
				t.Errorf("%v", err)
			}
		})
	}
}
