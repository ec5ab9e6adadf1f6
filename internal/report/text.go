package report

import (
	"fmt"
	"io"
	"strconv"
)

// Grouped returns an integer with commas between thousands.
func Grouped[T ~uint64 | ~int64 | ~int](n T) string { return groupDigits(fmt.Sprint(n)) }

func groupDigits(s string) string {
	first := 0
	if s != "" && s[0] == '-' {
		first = 1
	}
	for at := len(s) - 3; at > first; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// Size returns a number of bytes with a decimal unit.
func Size[T ~uint64 | ~int64](n T) string {
	v := float64(n)
	for _, unit := range []string{"bytes", "kB", "MB", "GB", "TB"} {
		if v < 1000 || unit == "TB" {
			if unit == "bytes" {
				return strconv.FormatUint(uint64(n), 10) + " " + unit
			}
			return fourDigits(v) + " " + unit
		}
		v /= 1000
	}
	return ""
}

// Plural returns a number with the noun for one or many: "1 event", "2 events".
func Plural[T ~uint64 | ~int64 | ~int](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Grouped(n) + " " + many
}

// cell returns a text from a file for a cell of a table: printable, and not wider than a table should be.
func cell(s string) string {
	const most = 64
	r := []rune(Printable(s))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}

// facts prints names and values, one pair a line.
type facts struct {
	w     io.Writer
	width int
}

func (f *facts) line(name, format string, args ...any) {
	fmt.Fprintf(f.w, "  %-*s %s\n", f.width, name, fmt.Sprintf(format, args...))
}

// Rate returns a speed: "12.3 M events/s".
func Rate(perSecond float64, unit string) string {
	for _, prefix := range []struct {
		name string
		size float64
	}{{" G", 1e9}, {" M", 1e6}, {" k", 1e3}} {
		if perSecond >= prefix.size {
			return fourDigits(perSecond/prefix.size) + prefix.name + " " + unit + "/s"
		}
	}
	return fourDigits(perSecond) + " " + unit + "/s"
}
