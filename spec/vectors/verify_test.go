package vectors

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store"
)

const pairsOfSlices = "a plain check goes through the file once and keeps no slice: pairs need the ends of all lanes of a slice at once, and definitions, which may stand behind it"

// onlyDeep are the faulty vectors that only a deep check finds, each with the reason.
var onlyDeep = map[string]string{
	"bad-paired-end-of-an-unknown-rank": pairsOfSlices,
	"bad-receive-without-its-send":      pairsOfSlices,
}

// unlisted is the sound vector in which a check finds something: blocks of kinds that the program does not know stand in no directory that it
// knows, and are reported.
const unlisted = "unknown-blocks"

// contradiction is the sound vector in which only a deep check finds something: what a file says of registered kinds is not what readers use.
const contradiction = "kinds-that-contradict-the-registry"

// Verifying finds every faulty vector, and without a deep look all but those of which a reason says why not; it finds nothing in the others.
func TestVerifyVectors(t *testing.T) {
	files, _ := committed(t)
	forms := FormFaults()
	if len(forms) < 30 {
		t.Errorf("only %d vectors of second forms", len(forms))
	}
	for _, name := range forms {
		if files[name] == nil && !strings.HasSuffix(name, longInteger) {
			t.Errorf("there is no vector %s", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		isBad := strings.HasPrefix(name, "bad-") || name == unlisted
		deep := found(t, files[name], store.VerifyDeep)
		plain := deep
		if isBad || name == contradiction {
			plain = found(t, files[name], store.VerifyBlocks) // a deep check begins with all that a plain one does
		}
		if deep != (isBad || name == contradiction) {
			t.Errorf("%s: a deep check finds a problem: %v", name, deep)
		}
		if want := isBad && onlyDeep[name] == ""; plain != want && !slices.Contains(forms, name) {
			t.Errorf("%s: a plain check finds a problem: %v, want %v", name, plain, want)
		}
	}
	for name := range onlyDeep {
		if files[name] == nil {
			t.Errorf("there is no vector %s", name)
		}
	}
}

// found reports whether opening a file or checking it finds damage.
func found(t *testing.T, file []byte, level store.VerifyLevel) bool {
	t.Helper()
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Name: "vector"})
	if err != nil {
		return format.IsCorrupt(err)
	}
	report, err := r.Verify(t.Context(), store.VerifyOptions{Level: level})
	if err != nil {
		t.Fatal(err)
	}
	return len(report.Problems) > 0
}
