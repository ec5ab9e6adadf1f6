package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// report is written to the standard output as it grows, and kept.
type report struct {
	out, progress io.Writer
	written       bytes.Buffer
}

func (r *report) printf(format string, args ...any) {
	fmt.Fprintf(io.MultiWriter(r.out, &r.written), format, args...)
}

// say prints progress on standard error; it is no part of the report.
func (r *report) say(format string, args ...any) {
	fmt.Fprintf(r.progress, format+"\n", args...)
}

// table is a table of the report.
type table struct {
	head []string
	rows [][]string
}

func newTable(head ...string) *table { return &table{head: head} }

// row adds a row; numbers are shown as figures.
func (t *table) row(cells ...any) {
	row := make([]string, len(t.head))
	for i, c := range cells {
		switch c := c.(type) {
		case float64:
			row[i] = figure(c)
		case int, int64, uint64:
			row[i] = grouped(fmt.Sprint(c))
		default:
			row[i] = fmt.Sprint(c)
		}
	}
	t.rows = append(t.rows, row)
}

// table prints a table, if it has rows.
func (r *report) table(t *table) {
	if len(t.rows) > 0 {
		r.printf("\n%s", t)
	}
}

// String renders Markdown that is also readable as it stands.
func (t *table) String() string {
	widths := make([]int, len(t.head))
	rule := make([]string, len(t.head))
	for c := range t.head {
		widths[c] = max(3, utf8.RuneCountInString(t.head[c]))
		for _, row := range t.rows {
			widths[c] = max(widths[c], utf8.RuneCountInString(row[c]))
		}
		rule[c] = strings.Repeat("-", widths[c])
		if t.numeric(c) {
			rule[c] = rule[c][1:] + ":"
		}
	}
	var b strings.Builder
	for _, row := range append([][]string{t.head, rule}, t.rows...) {
		for c, cell := range row {
			blank := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
			if t.numeric(c) {
				cell, blank = blank+cell, ""
			}
			b.WriteString("| " + cell + blank + " ")
		}
		b.WriteString("|\n")
	}
	return b.String()
}

// numeric reports whether a column has numbers and nothing else.
func (t *table) numeric(column int) bool {
	some := false
	for _, row := range t.rows {
		if row[column] != "" && !strings.ContainsRune("0123456789", rune(row[column][0])) {
			return false
		}
		some = some || row[column] != ""
	}
	return some
}

// header says what the report was made with.
func (b *bench) header(args []string) error {
	cmd := exec.Command(filepath.Join(b.root, "bench", "machine"))
	cmd.Dir = b.root
	machine, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("bench/machine: %w", err)
	}
	b.printf("# Comparison\n\n`go run ./bench/compare %s`\n\n```\n%s", strings.Join(args, " "), machine)
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		b.printf("load:    %s", load)
	}
	b.printf("```\n\nPeers:\n\n")
	for _, p := range b.peers.all() {
		b.printf("* %s\n", p)
	}
	b.printf(`
Everything is measured in turns, in %d rounds, on up to %d threads. Values are medians, in brackets the smallest and the
largest of all rounds. Ratios are taken in each round: what the other needs, divided by what Pando needs. Above 1, Pando is
better.
`, b.rounds, b.threads)
	return nil
}
