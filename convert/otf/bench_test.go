package otf

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// program writes the events of some processes in one stream, in short or long keywords: nested calls, some messages, and counters at
// each enter and leave if there shall be any.
func program(processes, bytes, counters int, longKeywords bool) string {
	words := map[string]string{"E": "E", "L": "L", "S": "S%xL%xT%xCf4240\n", "C": "CNT%xV%x\n"}
	if longKeywords {
		words = map[string]string{"E": "ENTER ", "L": "LEAVE ", "S": "SEND %x LEN %x TAG %x COMM f4240\n", "C": "COUNTER %x VALUE %x\n"}
	}
	r := rand.New(rand.NewPCG(1, 2))
	var s strings.Builder
	clock, stacks := uint64(1e9), make([][]int, processes)
	for s.Len() < bytes {
		p := r.IntN(processes)
		clock += r.Uint64N(2000)
		fmt.Fprintf(&s, "%x\n*%x\n", clock, p+1)
		for c := range counters {
			fmt.Fprintf(&s, words["C"], c+1, r.Uint64()>>r.IntN(64))
		}
		stack := stacks[p]
		switch n := len(stack); {
		case r.IntN(20) == 0:
			fmt.Fprintf(&s, words["S"], 1+r.IntN(processes), 64, r.IntN(4))
		case n < 2 || n < 7 && r.IntN(2) == 0:
			f := 1 + r.IntN(60)
			stacks[p] = append(stack, f)
			fmt.Fprintf(&s, "%s%x\n", words["E"], f)
		default:
			fmt.Fprintf(&s, "%s%x\n", words["L"], stack[n-1])
			stacks[p] = stack[:n-1]
		}
	}
	return s.String()
}

// programDefinitions are the definitions that program refers to.
func programDefinitions(processes int) (index, definitions string) {
	var members string
	definitions = "DTR3b9aca00\n"
	for p := range processes {
		members += fmt.Sprintf("%x,", p+1)
		definitions += fmt.Sprintf("DP%xNM\"Process %d\"\n", p+1, p)
	}
	for f := range 60 {
		definitions += fmt.Sprintf("DF%xG0NM\"f%d\"\n", f+1, f)
	}
	return "1:" + members + "\n", definitions + "DPGf4240M" + members + "NM\"MPI_COMM_WORLD\"\n"
}

// BenchmarkPlain decodes plain text on one core; BenchmarkLines finds the ends of its lines, BenchmarkBytes looks at each byte.
func BenchmarkPlain(b *testing.B) {
	for _, c := range []struct {
		name                string
		processes, counters int
		long                bool
	}{{"short", 1, 0, false}, {"long", 1, 0, true}, {"shared", 16, 0, false}, {"counters", 1, 4, false}, {"counters-long", 1, 4, true}} {
		b.Run(c.name, func(b *testing.B) {
			index, defs := programDefinitions(c.processes)
			text := program(c.processes, 4<<20, c.counters, c.long)
			a := mustOpen(b, write(b, map[string]string{".otf": index, ".0.def": defs, ".1.events": text}), Options{})
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			events := 0
			for b.Loop() {
				events += stepThrough(b, a)
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
		})
	}
}

func BenchmarkLines(b *testing.B) {
	text := program(1, 4<<20, 0, false)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for rest := text; rest != ""; {
			rest = rest[strings.IndexByte(rest, '\n')+1:]
		}
	}
}

func BenchmarkBytes(b *testing.B) {
	text := program(1, 4<<20, 0, false)
	b.SetBytes(int64(len(text)))
	n := 0
	for b.Loop() {
		for i := range len(text) {
			if text[i] == '\n' {
				n++
			}
		}
	}
}

// BenchmarkTraces decodes all events of the bundled traces, and with PANDO_TRACES set of the larger ones, on one core.
func BenchmarkTraces(b *testing.B) {
	paths := indices(b)
	if os.Getenv("PANDO_TRACES") != "" {
		paths = append(paths, larger(b)...)
	}
	for _, path := range paths {
		b.Run(label(path), func(b *testing.B) {
			a := mustOpen(b, path, Options{})
			events := 0
			b.ReportAllocs()
			for b.Loop() {
				events += stepThrough(b, a)
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
		})
	}
}

// stepThrough reads all events as a copy into a file does: each stream in turn, a little at a time.
func stepThrough(t testing.TB, a *Archive) (n int) {
	var open []trace.Stream
	for _, info := range a.Streams() {
		if info.Class == trace.StreamEvents {
			s, err := a.Open(info.StreamID)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			open = append(open, s)
		}
	}
	batches := make([]trace.Batch, len(open))
	for left := len(open); left > 0; {
		for i, s := range open {
			if s == nil {
				continue
			}
			_, err := trace.Step(s, &batches[i], 4096)
			n += batches[i].Len()
			if err == io.EOF {
				open[i] = nil
				left--
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	return n
}
