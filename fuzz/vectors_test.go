package fuzz

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pandotrace/pando/spec"
)

// committed returns the vectors of the repository, and what is expected of each.
func committed(t *testing.T) (files map[string][]byte, expected map[string]any) {
	t.Helper()
	paths, err := fs.Glob(spec.Vectors, "v1/vectors/*.pando")
	if err != nil {
		t.Fatal(err)
	}
	files = map[string][]byte{}
	for _, p := range paths {
		b, err := spec.Vectors.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(path.Base(p), ".pando")] = b
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

const again = "; after a change of the format: go run ./fuzz/makevectors spec/v1/vectors"

// The reader makes of each vector what is expected, and half of them are faults.
func TestVectors(t *testing.T) {
	files, expected := committed(t)
	classes := map[string]int{}
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
		if !reflect.DeepEqual(parse(t, b), expected[name]) {
			t.Errorf("%s is read as %.100s%s", name, b, again)
		}
		if f, ok := got.(Fault); ok {
			classes[f.Error]++
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

// What is expected is what the traces have that the vectors were made of.
func TestVectorsAreThoseOfTheProgram(t *testing.T) {
	vectors, err := Vectors()
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

// The reader in Python, written from the text alone, makes of each vector what is expected.
func TestVectorsInPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	files, expected := committed(t)
	var names, paths []string
	for name := range files {
		names = append(names, name)
		paths = append(paths, filepath.Join("..", "spec", "v1", "vectors", name+".pando"))
	}
	cmd := exec.Command(python, append([]string{"-B", filepath.Join("..", "spec", "v1", "reader", "pando.py")}, paths...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != len(names) {
		t.Fatalf("%d answers for %d files", len(lines), len(names))
	}
	for i, name := range names {
		if !reflect.DeepEqual(parse(t, lines[i]), expected[name]) {
			t.Errorf("%s is read as %.100s", name, lines[i])
		}
	}
}
