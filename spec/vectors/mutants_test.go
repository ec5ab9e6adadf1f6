package vectors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/store"
)

// mutant is a vector with a change of the payload of one block, and checksums that hold.
type mutant struct {
	name      string
	file      []byte
	directory bool // the change is in a page or the root of the directory
	several   bool // there are several changes, or all that follows is shifted
}

// mutate changes some bytes of the payload of a block of a file.
func mutate(r *rand.Rand, name string, file []byte) mutant {
	blocks := damage.Blocks(file)
	i := r.IntN(len(blocks))
	p := bytes.Clone(blocks[i].Payload)
	what, shifted := "nothing", false
	changes := 1 + r.IntN(2)
	for range changes {
		at := r.IntN(len(p) + 1)
		switch n := r.IntN(6); {
		case n == 0:
			what, shifted = "a byte more", true
			p = slices.Insert(p, at, byte(r.Uint32()))
		case at == len(p):
		case n == 1:
			what, shifted = "a byte less", true
			p = slices.Delete(p, at, at+1)
		case n == 2:
			what = "another byte"
			p[at] = byte(r.Uint32())
		case n == 3:
			what = "one more or less"
			p[at] += byte(1 - 2*r.IntN(2))
		default:
			what = "another bit"
			p[at] ^= 1 << r.IntN(8)
		}
	}
	blocks[i].Payload = p
	return mutant{
		name:      fmt.Sprintf("%s, block %d, a %v: %s, the last of %d changes", name, i, blocks[i].Kind, what, changes),
		file:      damage.Join(file, blocks),
		directory: blocks[i].Kind == format.BlockPage || blocks[i].Kind == format.BlockRoot,
		several:   changes > 1 || shifted,
	}
}

// verdict returns what a reader of this repository makes of a file, as JSON.
func verdict(t *testing.T, file []byte) any {
	t.Helper()
	got, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, b)
}

// classOf returns the class of error that a reader gives, "none" if it reads the file.
func classOf(verdict any) string {
	m, _ := verdict.(map[string]any)
	if class, ok := m["error"].(string); ok {
		return class
	}
	return "none"
}

// deep reports whether a checker finds something in a file that can be read.
func deep(t *testing.T, file []byte) bool { t.Helper(); return found(t, file, store.VerifyDeep) }

// judged says in which way the readers differ, if they must not. What is said twice in a file need not be compared by a reader: the one in
// Python holds spanning calls, messages, ends without a partner and hashes against the events, this one does not; a checker holds all there
// is. So whatever this reader refuses, the other one must refuse, and whatever that refuses, a checker must. A directory that leads elsewhere,
// several changes, and bytes that are shifted break several rules at once, and each reader tells the one that it meets first.
func judged(got, python any, m *mutant, bad func() bool) string {
	here, there := classOf(got), classOf(python)
	switch {
	case (m.directory || m.several) && here != "none" && there != "none":
	case m.directory && here == "none" && there != "none" && bad():
	case here != "none" && here != there:
		return fmt.Sprintf("refused as %s, in Python as %s", here, there)
	case here == "none" && there != "none" && (there != "content" || !bad()):
		return fmt.Sprintf("in Python refused as %s, and sound to a checker", there)
	case here == "none" && there == "none" && !reflect.DeepEqual(got, python) && !bad():
		return "read as something else in Python, and sound to a checker"
	}
	return ""
}

// Both readers make the same of files whose checksums hold and whose contents were changed at random: the same class of error, or the same
// contents. With PANDO_SOAK there are 5,000 of them; the log has the counts of classes.
func TestMutantsInPython(t *testing.T) {
	count := 60
	if os.Getenv("PANDO_SOAK") != "" {
		count = 5000
	}
	files, _ := committed(t)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool { return strings.HasPrefix(name, "bad-") || len(files[name]) > 20_000 })
	r := rand.New(rand.NewPCG(26, 1))
	mutants, paths, dir := make([]mutant, count), make([]string, count), t.TempDir()
	for i := range mutants {
		name := names[r.IntN(len(names))]
		mutants[i] = mutate(r, name, files[name])
		paths[i] = filepath.Join(dir, fmt.Sprintf("%d.pando", i))
		if err := os.WriteFile(paths[i], mutants[i].file, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	classes, checked := map[string]int{}, 0
	for i, python := range inPython(t, paths) {
		got := verdict(t, mutants[i].file)
		if differ := judged(got, python, &mutants[i], func() bool { return deep(t, mutants[i].file) }); differ != "" {
			t.Errorf("mutant %d (%s): %s", i, mutants[i].name, differ)
			if keep := os.Getenv("PANDO_KEEP"); keep != "" {
				os.WriteFile(filepath.Join(keep, fmt.Sprintf("%d.pando", i)), mutants[i].file, 0o666)
			}
		}
		classes[classOf(got)]++
		if classOf(got) != classOf(python) {
			checked++
		}
	}
	t.Logf("%d mutants, by class: %v; %d more refused in Python and by a checker", count, classes, checked)
	if classes["none"] == 0 || classes["content"] < count/2 {
		t.Errorf("by class: %v: this tests little", classes)
	}
}
