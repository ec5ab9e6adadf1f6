package slog2

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"testing"
)

// plainFile is a file as the plain decoder of these tests has it: it goes down from the root, reads everything, and
// trusts it.
type plainFile struct {
	data       []byte
	at         int
	drawables  []plain
	categories map[int32]plainCategory
	maps       []plainMap
	shadows    int64 // real drawables that the previews in the root's stubs stand for
}

// plain is a drawable.
type plain struct {
	category int32
	cargo    string
	times    [2]float64
	lines    [2]int32
	vertices int
}

type plainCategory struct {
	name, letters string
	topology      int32
	labels        []string
	count         int64
}

type plainMap struct {
	title   string
	columns []string
	rows    map[int32][]int32
}

func readPlain(t testing.TB, path string) *plainFile {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return decodePlain(data)
}

func decodePlain(data []byte) *plainFile {
	f := &plainFile{data: data, categories: map[int32]plainCategory{}, at: 24}
	var at [7]int
	for i := range at {
		at[i] = int(f.int(8))
		f.at += 4
	}
	f.at = at[0]
	for range f.int(4) {
		f.category()
	}
	f.at = at[2]
	for range f.int(4) {
		f.lineMap()
	}
	f.node(at[3], true)
	return f
}

func (f *plainFile) int(n int) int64 {
	var b [8]byte
	copy(b[8-n:], f.data[f.at:f.at+n])
	f.at += n
	return int64(binary.BigEndian.Uint64(b[:])<<(64-8*n)) >> (64 - 8*n)
}

func (f *plainFile) float() float64 { return math.Float64frombits(uint64(f.int(8))) }

func (f *plainFile) text() string {
	n := int(f.int(2))
	f.at += n
	return string(f.data[f.at-n : f.at])
}

func (f *plainFile) category() {
	index := int32(f.int(4))
	c := plainCategory{name: f.text(), topology: int32(f.int(4))}
	f.at += 6
	for range f.int(2) {
		c.labels = append(c.labels, f.text())
	}
	c.letters = f.text()
	f.at += int(4*f.int(2)) + 8
	c.count = f.int(8)
	f.categories[index] = c
}

func (f *plainFile) lineMap() {
	m := plainMap{title: f.text(), rows: map[int32][]int32{}}
	for range f.int(4) {
		m.columns = append(m.columns, f.text())
	}
	for range f.int(4) {
		line := int32(f.int(4))
		for range m.columns {
			m.rows[line] = append(m.rows[line], int32(f.int(4)))
		}
	}
	f.at += int(4 * f.int(2))
	f.maps = append(f.maps, m)
}

// node reads a node, its previews, and then its children.
func (f *plainFile) node(at int, isRoot bool) {
	f.at = at + 34
	for range 2 {
		for range f.int(4) {
			if f.int(1) == 0 {
				f.drawables = append(f.drawables, f.primitive())
				continue
			}
			whole := plain{category: int32(f.int(4)), cargo: f.text(), vertices: 2}
			var parts []plain
			for range f.int(2) {
				parts = append(parts, f.primitive())
			}
			whole.lines = [2]int32{parts[0].lines[0], parts[0].lines[0]}
			whole.times = [2]float64{math.Inf(1), math.Inf(-1)}
			for _, p := range parts {
				whole.times[0], whole.times[1] = min(whole.times[0], p.times[0], p.times[1]), max(whole.times[1], p.times[0], p.times[1])
			}
			f.drawables = append(append(f.drawables, whole), parts...)
		}
	}
	var children []int
	for range f.int(4) {
		f.at += 22
		children = append(children, int(f.int(8)))
		f.at += 4
		for range 2 {
			for range f.int(4) {
				f.primitive()
				f.at += 16
				if n := f.int(8); isRoot {
					f.shadows += n
				}
				f.at += int(20 * f.int(4))
			}
		}
	}
	for _, child := range children {
		f.node(child, false)
	}
}

func (f *plainFile) primitive() plain {
	p := plain{category: int32(f.int(4)), cargo: f.text(), vertices: int(f.int(2))}
	for i := range p.vertices {
		t, line := f.float(), int32(f.int(4))
		p.times[min(i, 1)], p.lines[min(i, 1)] = t, line
		if i == 0 {
			p.times[1], p.lines[1] = t, line
		}
	}
	return p
}

// print prints category, exact times, lines and cargo of a drawable.
func (f *plainFile) print(p *plain) string {
	c := f.categories[p.category]
	return fmt.Sprintf("%d %s %v %v %d %d: %s", p.category, c.name, min(p.times[0], p.times[1]), max(p.times[0], p.times[1]), p.lines[0], p.lines[p.vertices-1], c.print(p.cargo))
}

// print prints a cargo as the category's labels say.
func (c *plainCategory) print(cargo string) string {
	if cargo == "" {
		return ""
	}
	s := ""
	number := func(n int) uint64 {
		var b [8]byte
		copy(b[8-n:], cargo[:n])
		cargo = cargo[n:]
		return binary.BigEndian.Uint64(b[:])
	}
	for i, label := range c.labels {
		if s += label; i >= len(c.letters) {
			continue
		}
		switch c.letters[i] {
		case 's':
			n := number(2)
			s += cargo[:n]
			cargo = cargo[n:]
		case 'h':
			s += fmt.Sprint(int16(number(2)))
		case 'd':
			s += fmt.Sprint(int32(number(4)))
		case 'l':
			s += fmt.Sprint(int64(number(8)))
		case 'x':
			s += fmt.Sprintf("%x", number(4))
		case 'X':
			s += fmt.Sprintf("%x", number(8))
		case 'e':
			s += "<float>"
			number(4)
		case 'E':
			s += "<double>"
			number(8)
		}
	}
	return s
}
