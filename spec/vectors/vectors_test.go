package vectors

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/spec"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// committed returns the vectors of the repository with what is expected of each.
func committed(t *testing.T) (files map[string][]byte, expected map[string]any) {
	t.Helper()
	files, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	b, err := spec.Vectors.ReadFile("v1/vectors/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	expected, _ = parse(t, b).(map[string]any)
	if len(files) != len(expected) || len(files) < 100 {
		t.Fatalf("%d files, %d are expected", len(files), len(expected))
	}
	return files, expected
}

// parse reads JSON with integers of 64 bits.
func parse(t *testing.T, b []byte) any {
	t.Helper()
	var v any
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %.200s", err, b)
	}
	return v
}

const again = "; after a change of the format: go run ./spec/vectors/makevectors spec/v1/vectors"

// The reader makes of each vector what is expected, and half of them are faults.
func TestVectors(t *testing.T) {
	files, expected := committed(t)
	classes, parts := map[string]int{}, map[string]int{}
	for name, file := range files {
		got, err := Read(file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		b, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if name == ProfileOfABlock {
			if d, err := DigestOf(b); err != nil || !reflect.DeepEqual(expected[name], map[string]any{"digest": d.SHA256}) {
				t.Errorf("%s is read as %.100s, of the digest %v: %v%s", name, b, d, err, again)
			}
			continue
		}
		if !Agrees(parse(t, b), expected[name]) {
			t.Errorf("%s is read as %.100s%s", name, b, again)
		}
		switch got := got.(type) {
		case Fault:
			classes[got.Error]++
		case *Dump:
			got.count(parts)
		}
	}
	for _, part := range strings.Fields("calls messages unmatched postings summaries bins hashes") {
		if parts[part] == 0 {
			t.Errorf("no vector has %s", part)
		}
	}
	faults := 0
	for _, class := range strings.Fields("magic version feature header footer block codec content") {
		if classes[class] == 0 {
			t.Errorf("no vector is of class %s", class)
		}
		faults += classes[class]
	}
	if 2*faults < len(files) {
		t.Errorf("%d of %d vectors are faults", faults, len(files))
	}
}

// count counts what of the lists is not empty.
func (d *Dump) count(parts map[string]int) {
	for part, list := range map[string][]any{
		"calls": d.Calls, "messages": d.Messages, "unmatched": d.Unmatched, "postings": d.Postings, "summaries": d.Summaries, "bins": d.Bins, "hashes": d.Hashes,
	} {
		parts[part] += len(list)
	}
}

// What is expected is what the traces have that the vectors were made of.
func TestVectorsAreThoseOfTheProgram(t *testing.T) {
	vectors, err := All()
	if err != nil {
		t.Fatal(err)
	}
	_, expected := committed(t)
	if len(vectors) != len(expected) {
		t.Errorf("the program makes %d vectors, %d are there%s", len(vectors), len(expected), again)
	}
	for _, v := range vectors {
		b, err := json.Marshal(v.Expected)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(parse(t, b), expected[v.Name]) {
			t.Errorf("%s: something else is expected%s", v.Name, again)
		}
	}
}

// inPython returns what the reader in Python makes of files.
func inPython(t *testing.T, paths []string) []any {
	t.Helper()
	python := tracetest.Oracle(t, "python3")
	cmd := exec.Command(python, append([]string{"-B", filepath.Join("..", "v1", "reader", "pando.py")}, paths...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var all []any
	for line := range bytes.Lines(out) {
		all = append(all, parse(t, line))
	}
	if len(all) != len(paths) {
		t.Fatalf("%d answers for %d files", len(all), len(paths))
	}
	return all
}

// The reader in Python, written from the text alone, makes of each vector what is expected.
func TestVectorsInPython(t *testing.T) {
	files, expected := committed(t)
	var names, paths []string
	for name := range files {
		if name == ProfileOfABlock {
			continue // see below
		}
		names = append(names, name)
		paths = append(paths, filepath.Join("..", "v1", "vectors", name+".pando"))
	}
	for i, got := range inPython(t, paths) {
		if !Agrees(got, expected[names[i]]) {
			t.Errorf("%s is read as %.100s", names[i], got)
		}
	}
}

// It makes the same of recorded traces as the reader of this repository: of some, or with PANDO_SOAK of all bundled ones.
func TestRecordedTracesInPython(t *testing.T) {
	names := []string{"otf2.ep.S.4.metric", "otf2.ez.hello.4.io", "otf2.ep.S.32"}
	if os.Getenv("PANDO_SOAK") != "" {
		names = tracetest.Bundled(t)
	}
	var files pythonFiles
	for _, name := range names {
		src, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
		if err != nil {
			t.Fatal(err)
		}
		file, err := compressedFile(src, store.Options{})
		src.Close()
		if err != nil {
			t.Fatal(err)
		}
		d, err := Read(file)
		if err != nil {
			t.Fatal(err)
		}
		files.add(t, name, file, d)
	}
	files.compare(t)
}

// pythonFiles are files that the reader in Python is to read, and what it must make of them.
type pythonFiles struct {
	paths []string
	want  []any
}

func (f *pythonFiles) add(t *testing.T, name string, file []byte, want any) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".pando")
	if err := os.WriteFile(path, file, 0o666); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	f.paths, f.want = append(f.paths, path), append(f.want, parse(t, b))
}

func (f *pythonFiles) compare(t *testing.T) {
	t.Helper()
	for i, got := range inPython(t, f.paths) {
		if !reflect.DeepEqual(got, f.want[i]) {
			t.Errorf("%s is read as %.100v, want %.100v", filepath.Base(f.paths[i]), got, f.want[i])
		}
	}
}

// The smallest writer writes the vector of its name again, byte for byte.
func TestSmallestWriter(t *testing.T) {
	python := tracetest.Oracle(t, "python3")
	path := filepath.Join(t.TempDir(), "smallest.pando")
	if out, err := exec.Command(python, "-B", filepath.Join("..", "v1", "writer", "smallest.py"), path, SmallestID).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := committed(t)
	if !bytes.Equal(got, files[SmallestWriter]) {
		t.Errorf("it writes another file of %d bytes, and %d are there%s", len(got), len(files[SmallestWriter]), again)
	}
}

// It makes the same of files of any layout: lanes of one or three locations, trees of 2 to 64 children, slices of a few events.
func TestLayoutsInPython(t *testing.T) {
	src := func() trace.Source {
		return tracegen.Random(4, tracegen.Knobs{Processes: 5, Threads: 2, Length: 30, Regions: 3, Messages: 30, Talk: 0.7, Step: 300, Lattice: 10, Leaps: 0.02})
	}
	var files pythonFiles
	for i, opt := range []store.Options{
		{LaneLocations: 1, Fanout: 2, SliceEvents: 5}, {LaneLocations: 3, Fanout: 5, GroupSlices: 25, SliceEvents: 20}, {LaneLocations: 1, Fanout: 16, SliceEvents: 9, Hashes: true},
		{LaneLocations: 3, Fanout: 64, SliceEvents: 3}, {LaneLocations: 2, Fanout: 6, GroupSlices: 4, SliceEvents: 3},
	} {
		file, err := File(src(), opt)
		if err != nil {
			t.Fatal(err)
		}
		d, err := dumpOf(src(), file)
		if err != nil {
			t.Fatal(err)
		}
		files.add(t, strconv.Itoa(i), file, d)
	}
	files.compare(t)
}

// It reads what every reader must accept. That takes it some seconds.
func TestProfileInPython(t *testing.T) {
	if os.Getenv("PANDO_SOAK") == "" {
		t.Skip("PANDO_SOAK is not set: 262,144 events take the reader in Python some seconds")
	}
	_, expected := committed(t)
	got := inPython(t, []string{filepath.Join("..", "v1", "vectors", ProfileOfABlock+".pando")})
	b, err := json.Marshal(got[0])
	if err != nil {
		t.Fatal(err)
	}
	if d, err := DigestOf(b); err != nil || !reflect.DeepEqual(expected[ProfileOfABlock], map[string]any{"digest": d.SHA256}) {
		t.Errorf("it is read as %.100s, of the digest %v: %v", b, d, err)
	}
}
