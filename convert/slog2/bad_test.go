package slog2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/trace"
)

// smallFile has some levels, in few bytes.
func smallFile() []byte {
	f := randomFile(rand.New(rand.NewPCG(4, 3)), true)
	f.drawables = f.drawables[:min(len(f.drawables), 60)]
	return f.write(2, 300)
}

// placeOf returns where the header says that a block is.
func placeOf(data []byte, pointer int) int {
	return int(binary.BigEndian.Uint64(data[24+pointerBytes*pointer:]))
}

// Numbers of the header's pointers.
const (
	toCategories = 0
	toLineMaps   = 2
	toRoot       = 3
	toDirectory  = 4
)

func TestBadFiles(t *testing.T) {
	set := func(pointer, at int, b ...byte) func([]byte) []byte {
		return func(data []byte) []byte { copy(data[placeOf(data, pointer)+at:], b); return data }
	}
	header := func(at int, b ...byte) func([]byte) []byte {
		return func(data []byte) []byte { copy(data[at:], b); return data }
	}
	const leaf = headerBytes // the first node
	tests := []struct {
		name    string
		damage  func([]byte) []byte
		class   error
		problem string
	}{
		{"nothing", func([]byte) []byte { return nil }, trace.ErrCorrupt, "no SLOG-2 file"},
		{"another file", header(2, 'X'), trace.ErrCorrupt, "no SLOG-2 file"},
		{"another version", header(11, '5'), trace.ErrUnsupported, "version \"SLOG 2.0.5\""},
		{"half a header", func(d []byte) []byte { return d[:50] }, trace.ErrCorrupt, "a header of 50 bytes"},
		{"cut off", func(d []byte) []byte { return d[:len(d)-1] }, trace.ErrCorrupt, "a block of"},
		{"no directory", header(24+toDirectory*pointerBytes, make([]byte, 12)...), trace.ErrCorrupt, "never finished"},
		{"negative place", header(24+toDirectory*pointerBytes, 0xff), trace.ErrCorrupt, "a block of"},
		{"place that overflows", header(24+toDirectory*pointerBytes, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), trace.ErrCorrupt, "a block of"},
		{"number of categories", set(toCategories, 0, 0x7f, 0xff, 0xff, 0xff), trace.ErrCorrupt, "2147483647 things"},
		{"negative number of categories", set(toCategories, 0, 0xff, 0xff, 0xff, 0xff), trace.ErrCorrupt, "-1 things"},
		{"a name's length", set(toCategories, 8, 0x7f, 0xff), trace.ErrCorrupt, "32767 things"},
		{"number of line maps", set(toLineMaps, 0, 0x0f, 0xff, 0xff, 0xff), trace.ErrCorrupt, "things of"},
		{"number of nodes", set(toDirectory, 0, 0x0f, 0xff, 0xff, 0xff), trace.ErrCorrupt, "things of"},
		{"fewer nodes", set(toDirectory, 0, 0, 0, 0, 1), trace.ErrCorrupt, "bytes behind the directory"},
		{"depth", set(toDirectory, 4, 0xff, 0xff), trace.ErrCorrupt, "a node of depth -1"},
		{"a node's place", set(toDirectory, 4+22, 0, 0, 0, 0, 0, 0, 0, 200), trace.ErrCorrupt, "a node that calls itself"},
		{"a node's id", header(leaf+16, 0, 9), trace.ErrCorrupt, "a node that calls itself (9, 0)"},
		{"number of arrows", header(leaf+34, 0x7f, 0xff, 0xff, 0xff), trace.ErrCorrupt, "2147483647 things"},
		{"kind of drawable", header(leaf+38, 2), trace.ErrCorrupt, "a drawable of kind 2"},
		{"cargo's length", header(leaf+43, 0x7f, 0xff), trace.ErrCorrupt, "32767 things of 1 bytes"},
		{"negative length of cargo", header(leaf+43, 0xff, 0xff), trace.ErrCorrupt, "-1 things of 1 bytes"},
	}
	if _, err := inMemory(smallFile(), Options{}); err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := inMemory(test.damage(smallFile()), Options{})
			var e *trace.SourceError
			if !errors.As(err, &e) || !errors.Is(err, test.class) || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("got %v\nwant %s, which is %v", err, test.problem, test.class)
			}
		})
	}
}

// A time that is no number is refused.
func TestBadTimes(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e300, -3e9} {
		f := randomFile(rand.New(rand.NewPCG(4, 3)), false)
		f.drawables[5].times[1] = bad
		f.drawables[5].vertices = 2
		if _, err := inMemory(f.write(2, 500), Options{}); !errors.Is(err, trace.ErrCorrupt) || !strings.Contains(err.Error(), "a time of") {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestMissingFiles(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "none"), Options{}); !errors.Is(err, trace.ErrMissing) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := Open(t.TempDir(), Options{}); !errors.Is(err, trace.ErrCorrupt) {
		t.Errorf("a folder: %v", err)
	}
}

// A file whose writer died has its nodes, but no names and no directory.
func TestUnfinishedFile(t *testing.T) {
	f := randomFile(rand.New(rand.NewPCG(6, 3)), false)
	data := f.write(2, 300)
	nodes := data[:placeOf(data, toCategories)]
	clear(nodes[24:headerBytes])
	a, err := inMemory(nodes, Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := drain(a, 100); err != nil || n < 2*len(f.drawables)-len(f.drawables)/2 {
		t.Errorf("%d events of %d drawables, %v", n, len(f.drawables), err)
	}
	for n := 0; n < len(nodes); n += 1 + len(nodes)/500 {
		a, err := inMemory(nodes[:n], Options{Lenient: true})
		if err == nil {
			_, err = drain(a, 100)
		}
		if err != nil && !classed(err) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

// A file cut anywhere is refused, and so is one changed anywhere, or it is read.
func TestEveryByte(t *testing.T) {
	data := smallFile()
	for n := range data {
		if _, err := inMemory(data[:n], Options{}); !classed(err) {
			t.Fatalf("%d bytes of %d: %v", n, len(data), err)
		}
	}
	read, refused := 0, 0
	for at := range data {
		for _, bit := range []byte{1, 0x80} {
			data[at] ^= bit
			a, err := inMemory(data, Options{})
			if err == nil {
				_, err = drain(a, 100)
			}
			data[at] ^= bit
			if err != nil && !classed(err) {
				t.Fatalf("byte %d: %v", at, err)
			}
			if err == nil {
				read++
			} else {
				refused++
			}
		}
	}
	if read == 0 || refused == 0 {
		t.Errorf("%d files were read and %d refused", read, refused)
	}
}

// A file that changes between two readings does no harm.
func TestFileChangesWhileItIsRead(t *testing.T) {
	data := smallFile()
	a, err := inMemory(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for at := headerBytes; at < placeOf(data, toCategories); at += 7 {
		data[at] ^= 0x55
	}
	if _, err := drain(a, 100); !classed(err) {
		t.Errorf("got %v", err)
	}
}

// Numbers in a file take no memory before there is anything to put into it.
func TestMemory(t *testing.T) {
	data := smallFile()
	measure := func(data []byte) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a, err := inMemory(data, Options{})
		if err == nil {
			_, err = drain(a, 100)
		}
		runtime.ReadMemStats(&after)
		if err != nil && !classed(err) {
			t.Fatal(err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	whole := measure(data)
	for at := 0; at+4 < len(data); at++ {
		was := binary.BigEndian.Uint32(data[at:])
		binary.BigEndian.PutUint32(data[at:], 0x00ffffff)
		if n := measure(data); n > whole+4<<20 {
			t.Errorf("byte %d: %d bytes, %d without the damage", at, n, whole)
		}
		binary.BigEndian.PutUint32(data[at:], was)
	}
}

// Composites become a state as long as their parts, and the parts.
func TestComposites(t *testing.T) {
	f := randomFile(rand.New(rand.NewPCG(4, 3)), false)
	f.drawables = nil
	state := func(from, to float64, line int32) plain {
		return plain{category: 1, times: [2]float64{from, to}, lines: [2]int32{line, line}, vertices: 2}
	}
	parts := []plain{state(1, 2, 0), state(3, 5, 0), {category: 9, times: [2]float64{2, 3}, lines: [2]int32{0, 1}, vertices: 2}}
	node := append(append(appendF(appendF(nil, 0), 9), 0, 0, 0, 0, 0, 0), make([]byte, 12)...)
	node = append32(append32(node, 0), 3)
	node = append16(appendS(append32(append(node, 1), 2), "cargo of the composite"), len(parts))
	for i := range parts {
		node = appendPrimitive(node, &parts[i])
	}
	node = append16(appendS(append32(append(node, 1), 2), ""), 0) // a composite of nothing
	whole := state(1, 5, 0)
	whole.category, whole.cargo = 2, "cargo of the composite"
	last := state(6, 7, 1)
	node = append32(appendPrimitive(append(node, 0), &last), 0)
	data := withNode(f, node)
	a, err := inMemory(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if more, less := difference(shown(t, stored(t, a)), append(parts, whole, last)); len(more)+len(less) > 0 {
		t.Errorf("too many: %+v\nmissing: %+v", more, less)
	}
}

// withNode makes a file of one node.
func withNode(f *plainFile, node []byte) []byte {
	data := f.write(2, 1<<20)
	empty := placeOf(data, toCategories) - headerBytes
	more := len(node) - empty
	copy(node[22:], appendP(nil, headerBytes, len(node)))
	data = append(append(append([]byte{}, data[:headerBytes]...), node...), data[headerBytes+empty:]...)
	for _, pointer := range []int{toCategories, toLineMaps, toDirectory} {
		binary.BigEndian.PutUint64(data[24+pointerBytes*pointer:], uint64(placeOf(data, pointer)+more))
	}
	copy(data[24+pointerBytes*toRoot:], appendP(nil, headerBytes, len(node)))
	copy(data[placeOf(data, toDirectory)+4+22:], appendP(nil, headerBytes, len(node)))
	return data
}

// Drawables that stand in another order than that of their starts are there all the same.
func TestDrawablesOutOfOrder(t *testing.T) {
	f := randomFile(rand.New(rand.NewPCG(4, 3)), false)
	f.drawables = nil
	var list []plain
	node := append(append(appendF(appendF(nil, 0), 9), 0, 0, 0, 0, 0, 0), make([]byte, 12)...)
	node = append32(append32(node, 0), 50)
	for i := range 50 {
		from := float64(50 - i)
		p := plain{category: 1, times: [2]float64{from, from + 0.5}, lines: [2]int32{int32(i % 2), int32(i % 2)}, vertices: 2}
		node, list = appendPrimitive(append(node, 0), &p), append(list, p)
	}
	a, err := inMemory(withNode(f, append32(node, 0)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if more, less := difference(shown(t, stored(t, a)), list); len(more)+len(less) > 0 {
		t.Errorf("too many: %+v\nmissing: %+v", more, less)
	}
	if w := a.Warnings(); len(w) != 1 || w[0].Kind != "drawable out of order" {
		t.Errorf("warnings: %+v", w)
	}
}

// FuzzFile reads any bytes as a file.
func FuzzFile(f *testing.F) {
	for seed := range uint64(8) {
		file := randomFile(rand.New(rand.NewPCG(seed, 9)), seed%2 == 0)
		file.drawables = file.drawables[:min(len(file.drawables), 20)]
		f.Add(file.write(2, 200), seed%3 == 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, lenient bool) {
		a, err := inMemory(data, Options{Lenient: lenient})
		if err != nil {
			if !classed(err) {
				t.Fatalf("an error of no class: %v", err)
			}
			return
		}
		if !Detect(data) {
			t.Error("read what is not detected")
		}
		n, err := drain(a, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if m, err := drain(a, 3); m != n || err != nil {
			t.Fatalf("%d records, then %d, %v", n, m, err)
		}
		log, _ := a.Definitions(0)
		trace.NewDefinitions(log)
		_ = fmt.Sprint(a.Warnings())
	})
}
