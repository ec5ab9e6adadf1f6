package stacks

import (
	"bufio"
	"io"
	"strconv"
	"strings"
)

// WriteFolded writes a line for each node: the names on its path with semicolons between them, a space, and the value of the main column.
// Nodes without a value have no line. Semicolons in names become colons and line ends become spaces.
//
// Source: Brendan Gregg, stackcollapse and flamegraph.pl.
func WriteFolded(to io.Writer, t *Tree) error { return WriteFoldedColumns(to, t, 0) }

// WriteFoldedColumns writes the values of several columns in each line. difffolded.pl writes two, of two profiles.
func WriteFoldedColumns(to io.Writer, t *Tree, columns ...int) error {
	w := bufio.NewWriter(to)
	names := make([]string, len(t.Frames))
	for i, f := range t.Frames {
		names[i] = foldedName(f.Name)
	}
	var line []byte
	var stack []int
	for n := range t.Nodes {
		any := false
		for _, c := range columns {
			any = any || t.Columns[c].Values[n] != 0
		}
		if !any {
			continue
		}
		line, stack = line[:0], t.stack(stack[:0], n)
		for i := len(stack) - 1; i >= 0; i-- {
			line = append(line, names[t.Nodes[stack[i]].Frame]...)
			if i > 0 {
				line = append(line, ';')
			}
		}
		for _, c := range columns {
			line = strconv.AppendInt(append(line, ' '), t.Columns[c].Values[n], 10)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return w.Flush()
}

// foldedName returns a name that the format can hold. One that ends in a number behind a space would have it taken for a value.
func foldedName(name string) string {
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == ';':
			return ':'
		case r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029:
			return ' '
		}
		return r
	}, strings.ToValidUTF8(name, "\ufffd")))
	if at := strings.LastIndexByte(name, ' '); at >= 0 && strings.Trim(name[at+1:], "0123456789.") == "" {
		name = strings.TrimRight(name[:at], " ") + "_" + name[at+1:]
	}
	if name == "" {
		return "-"
	}
	return name
}
