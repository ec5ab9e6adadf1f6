package stacks_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/internal/stacks"
)

// sample is a small tree: main calls work, which calls send and itself, and wait.
func sample() *stacks.Tree {
	return &stacks.Tree{
		Title: "pando run.pando", Comments: []string{"from 0 s to 1 s"}, Duration: 1_000_000_000, Kinds: map[string]string{"MPI": "#cc3333"},
		Frames: []stacks.Frame{{Name: "main", File: "main.c", Line: 7}, {Name: "work"}, {Name: "MPI_Send", Kind: "MPI", Colour: "#aa2222"}, {Name: "wait; <all> 3"}},
		Nodes:  []stacks.Node{{-1, 0}, {0, 1}, {1, 2}, {1, 1}, {0, 3}},
		Columns: []stacks.Column{
			{Name: "time", Unit: stacks.Nanoseconds, Values: []int64{0, 600_000_000, 100_000_000, 40_000_000, 260_000_000}},
			{Name: "calls", Unit: stacks.Count, Values: []int64{1, 10, 20, 5, 1}},
		},
	}
}

// drawTree draws a tree whose names have whatever names can have.
func drawTree(f *rapid.T) *stacks.Tree {
	t := &stacks.Tree{Title: rapid.String().Draw(f, "title"), Comments: []string{rapid.String().Draw(f, "comment")}}
	name := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", " ", "a;b", "f 12", "f 1.5", "\xff", "]]>", "line\nend", "std::map<int, a*>::at(int) const", "\x00\x1b[31m"}))
	for range rapid.IntRange(1, 4).Draw(f, "frames") {
		t.Frames = append(t.Frames, stacks.Frame{Name: name.Draw(f, "name"), File: name.Draw(f, "file"), Line: rapid.IntRange(0, 99).Draw(f, "line")})
	}
	columns := rapid.IntRange(1, 3).Draw(f, "columns")
	for c := range columns {
		t.Columns = append(t.Columns, stacks.Column{Name: fmt.Sprint("column ", c), Unit: []string{stacks.Nanoseconds, stacks.Count}[c%2]})
	}
	for n := range rapid.IntRange(0, 9).Draw(f, "nodes") {
		t.Nodes = append(t.Nodes, stacks.Node{Parent: rapid.IntRange(-1, n-1).Draw(f, "parent"), Frame: rapid.IntRange(0, len(t.Frames)-1).Draw(f, "frame")})
		for c := range columns {
			t.Columns[c].Values = append(t.Columns[c].Values, rapid.Int64Range(0, 1<<50).Draw(f, "value"))
		}
	}
	return t
}

func written(f interface{ Fatal(...any) }, t *stacks.Tree, write func(io.Writer, *stacks.Tree) error) []byte {
	var b bytes.Buffer
	if err := write(&b, t); err != nil {
		f.Fatal(err)
	}
	return b.Bytes()
}

func ExampleWriteFolded() {
	var b bytes.Buffer
	if err := stacks.WriteFolded(&b, sample()); err != nil {
		fmt.Println(err)
	}
	fmt.Print(b.String())
	// Output:
	// main;work 600000000
	// main;work;MPI_Send 100000000
	// main;work;work 40000000
	// main;wait: <all>_3 260000000
}

// Lines are as flamegraph.pl, difffolded.pl and inferno read them: a stack of names that are not empty, and as many values as there are columns.
func TestFoldedGrammar(t *testing.T) {
	line := regexp.MustCompile(`^([^;\n]+(?:;[^;\n]+)*) (\d+)$`) // of flamegraph.pl: (.*)\s+?(\d+(?:\.\d*)?)
	two := regexp.MustCompile(`^(.*)\s+?(\d+(?:\.\d*)?)$`)
	rapid.Check(t, func(f *rapid.T) {
		tree := drawTree(f)
		sum, want := int64(0), int64(0)
		for _, v := range tree.Columns[0].Values {
			want += v
		}
		text := string(written(f, tree, stacks.WriteFolded))
		for l := range strings.Lines(text) {
			parts := line.FindStringSubmatch(strings.TrimSuffix(l, "\n"))
			if parts == nil {
				f.Fatalf("no line of the format: %q", l)
			}
			if two.MatchString(parts[1]) {
				f.Fatalf("a second value in %q", l)
			}
			v, err := strconv.ParseInt(parts[2], 10, 64)
			if err != nil {
				f.Fatal(err)
			}
			sum += v
		}
		if sum != want {
			f.Fatalf("values add up to %d, want %d", sum, want)
		}
	})
}

func TestFoldedColumns(t *testing.T) {
	var b bytes.Buffer
	if err := stacks.WriteFoldedColumns(&b, sample(), 1, 0); err != nil {
		t.Fatal(err)
	}
	if first, _, _ := strings.Cut(b.String(), "\n"); first != "main 1 0" {
		t.Errorf("first line is %q", first)
	}
}

// go tool pprof reads the profile, and finds each stack with its values.
func TestPprof(t *testing.T) {
	if err := exec.Command("go", "tool", "-n", "pprof").Run(); err != nil {
		t.Skip("there is no go tool pprof here: ", err)
	}
	path := filepath.Join(t.TempDir(), "a.pb.gz")
	if err := os.WriteFile(path, written(t, sample(), stacks.WritePprof), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		out, err := exec.Command("go", append([]string{"tool", "pprof"}, append(args, path)...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("go tool pprof %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	raw := run("-raw")
	for _, want := range []string{
		"time/nanoseconds[dflt] calls/count", "Duration: 1", "  600000000         10: 2 1 \n", "  100000000         20: 3 2 1 \n", "   40000000          5: 2 2 1 \n",
		"          0          1: 1 \n", " main main.c:7:0 s=7",
	} {
		if !strings.Contains(raw, want) {
			t.Errorf("no %q in\n%s", want, raw)
		}
	}
	top := run("-top")
	for _, want := range []string{`640ms 64.00% 64.00%      740ms 74.00%  work`, `0     0%   100%     1000ms   100%  main`} {
		if !strings.Contains(top, want) {
			t.Errorf("no %q in\n%s", want, top)
		}
	}
	if top := run("-top", "-sample_index=calls"); !strings.Contains(top, `20 54.05% 54.05%         20 54.05%  MPI_Send`) {
		t.Errorf("calls are\n%s", top)
	}
}

// The file has what the schema of speedscope requires of sampled profiles, and each node's value is that of its stack.
func TestSpeedscope(t *testing.T) {
	rapid.Check(t, func(f *rapid.T) {
		tree := drawTree(f)
		var file struct {
			Schema string `json:"$schema"`
			Shared struct {
				Frames []struct {
					Name *string
					File *string
					Line *int
				}
			}
			Profiles []struct {
				Type, Name, Unit     string
				StartValue, EndValue *int64
				Samples              [][]int
				Weights              []int64
			}
			ActiveProfileIndex int
			Exporter           string
		}
		d := json.NewDecoder(bytes.NewReader(written(f, tree, stacks.WriteSpeedscope)))
		if err := d.Decode(&file); err != nil {
			f.Fatal(err)
		}
		if file.Schema != "https://www.speedscope.app/file-format-schema.json" || len(file.Shared.Frames) != len(tree.Frames) || len(file.Profiles) != len(tree.Columns) {
			f.Fatalf("%+v", file)
		}
		for c, p := range file.Profiles {
			units := []string{"bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"}
			if p.Type != "sampled" || !slices.Contains(units, p.Unit) || p.StartValue == nil || p.EndValue == nil || len(p.Samples) != len(p.Weights) {
				f.Fatalf("profile %+v", p)
			}
			at, total := 0, int64(0)
			for n, v := range tree.Columns[c].Values {
				if v == 0 {
					continue
				}
				var want []int
				for ; n >= 0; n = tree.Nodes[n].Parent {
					want = append(want, tree.Nodes[n].Frame)
				}
				slices.Reverse(want)
				if at >= len(p.Samples) || !slices.Equal(p.Samples[at], want) || p.Weights[at] != v {
					f.Fatalf("sample %d of %v %v, want %v with %d", at, p.Samples, p.Weights, want, v)
				}
				total += v
				at++
			}
			if at != len(p.Samples) || *p.EndValue != total {
				f.Fatalf("%d samples up to %d, want %d up to %d", len(p.Samples), *p.EndValue, at, total)
			}
		}
	})
}

// literal is a node of Hatchet's literal.
type literal struct {
	Frame struct {
		Name, Type string
	}
	Metrics  map[string]float64
	Children []literal
}

// The literal has the nodes in order, with own and inclusive times in seconds.
func TestHatchet(t *testing.T) {
	var got []literal
	if err := json.Unmarshal(written(t, sample(), stacks.WriteHatchet), &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != 1 || len(got[0].Children) != 2 || len(got[0].Children[0].Children) != 2 {
		t.Fatalf("%+v", got)
	}
	main, work := got[0], got[0].Children[0]
	if main.Frame.Name != "main" || main.Frame.Type != "function" || main.Metrics["time (inc)"] != 1 || main.Metrics["time"] != 0 || main.Metrics["calls"] != 1 {
		t.Errorf("main is %+v", main)
	}
	if work.Frame.Name != "work" || work.Metrics["time (inc)"] != 0.74 || work.Metrics["time"] != 0.6 || work.Metrics["calls"] != 10 {
		t.Errorf("work is %+v", work)
	}
	rapid.Check(t, func(f *rapid.T) {
		tree := drawTree(f)
		var got []literal
		if err := json.Unmarshal(written(f, tree, stacks.WriteHatchet), &got); err != nil {
			f.Fatal(err)
		}
		var count func([]literal) int
		count = func(list []literal) (n int) {
			for _, l := range list {
				n += 1 + count(l.Children)
			}
			return n
		}
		if n := count(got); n != len(tree.Nodes) {
			f.Fatalf("%d nodes, want %d", n, len(tree.Nodes))
		}
	})
}

// Pictures are XML whatever names are, with a box for all and one for each node that is wide enough.
func TestSVG(t *testing.T) {
	boxes := func(f interface{ Fatal(...any) }, b []byte) (n int) {
		d := xml.NewDecoder(bytes.NewReader(b))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				return n
			}
			if err != nil {
				f.Fatal(err, string(b))
			}
			if e, ok := token.(xml.StartElement); ok && e.Name.Local == "g" {
				n++
			}
		}
	}
	b := written(t, sample(), stacks.WriteSVG)
	if n := boxes(t, b); n != 6 {
		t.Errorf("%d boxes", n)
	}
	for _, want := range []string{"work\ntime 740 ms (74.0 %), own 600 ms\ncalls 10", "wait; &lt;all&gt; 3", "main.c:7", `fill="#cc3333"/><text x="24" y="55">MPI</text>`,
		`width="1200" height="164" viewBox="0 0 1200 164" data-width="1180" data-left="10" data-letter="6.6"`} {
		if !strings.Contains(string(b), want) {
			t.Errorf("no %q", want)
		}
	}
	rapid.Check(t, func(f *rapid.T) {
		if boxes(f, written(f, drawTree(f), stacks.WriteSVG)) < 1 {
			f.Fatal("no box")
		}
	})
}

// A format is found by its name.
func TestFormats(t *testing.T) {
	for _, want := range stacks.Formats() {
		if got, ok := stacks.FormatNamed(want.Name); !ok || got.Suffix != want.Suffix {
			t.Errorf("%s ends in %q", want.Name, got.Suffix)
		}
	}
}
