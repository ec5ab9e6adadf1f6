package selector

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "github.com/pandotrace/pando/internal/lastwords"
	"github.com/pandotrace/pando/trace"
)

// planted is a thing with what a test knows of it.
type planted struct {
	id             uint64
	name           string
	paradigm, role uint64   // of regions
	kind           uint64   // of locations
	rank, thread   int      // of locations
	classes        []string // all that fit, without @
}

var plantedRegions = []planted{
	{1, "main", 2, 1, 0, 0, 0, []string{"compiler", "computation", "function", "/function", "compiler/function", "computation/function"}},
	{2, "MPI_Send", 4, 28, 0, 0, 0, []string{"mpi", "p2p", "/p2p", "mpi/p2p", "MPI/Point2Point", "mpi/point-to-point"}},
	{3, "MPI_Allreduce", 4, 25, 0, 0, 0, []string{"mpi", "all2all", "/all2all", "mpi/all2all", "mpi/coll_all2all", "collective", "/collective", "mpi/collective"}},
	{4, "MPI_Barrier", 1, 1, 0, 0, 0, []string{"mpi", "barrier", "/barrier", "mpi/barrier", "collective", "/collective", "mpi/collective", "sync", "mpi/sync"}},
	{5, "!$omp implicit barrier", 3, 16, 0, 0, 0, []string{"openmp", "omp", "openmp/implicit_barrier", "implicit-barrier", "barrier", "/barrier", "openmp/barrier", "sync"}},
	{6, "MPI_File_read", 4, 27, 0, 0, 0, []string{"mpi", "io", "/io", "mpi/io", "file_io", "io/file-io", "mpi/file-io"}},
	{7, "@odd", 1, 3, 0, 0, 0, []string{"user", "loop", "user/loop", "computation", "computation/loop"}},
	{8, `\x`, 0, 0, 0, 0, 0, []string{"unknown", "unknown/unknown", "/unknown", "computation"}},
	{9, "8", 5, 30, 0, 0, 0, []string{"gpu", "accelerator", "cuda", "data-transfer", "gpu/transfer", "cuda/data_transfer"}},
	{10, "main", 0, 0, 0, 0, 0, []string{"unknown", "unknown/unknown", "/unknown", "computation"}},
}

var plantedLocations = []planted{
	{id: 1, name: "Master", kind: 1, rank: 0, thread: 0, classes: []string{"cpu"}},
	{id: 3, name: "worker", kind: 1, rank: 0, thread: 1, classes: []string{"cpu"}},
	{id: 5, name: "Master", kind: 1, rank: 1, thread: 0, classes: []string{"cpu"}},
	{id: 6, name: "counters", kind: 3, rank: 1, thread: -1, classes: []string{"metric"}},
	{id: 8, name: "CUDA[0:7]", kind: 2, rank: 1, thread: -1, classes: []string{"gpu", "Accelerator"}},
	{id: 9, name: "Master", kind: 1, rank: 11, thread: 0, classes: []string{"cpu"}},
	{id: 12, name: "rank 3-1", kind: 0, rank: -1, thread: -1, classes: []string{"unknown"}},
}

// labels are the labels that plantedLocations have by their processes, see trace.Definitions.Places.
var labels = map[uint64]string{
	1: "rank 0 thread 0", 3: "rank 0 thread 1", 5: "rank 1", 6: "rank 1 counters", 8: "rank 1 gpu 0 stream 7", 9: "rank 11", 12: "rank 3-1",
}

// plantedDefinitions defines all that is planted: a process for each rank, and the group of those that take part in MPI.
func plantedDefinitions() *trace.Definitions {
	const none, commLocations, mpi = trace.Undefined >> 32, 4, 4
	d := trace.NewDefinitions(nil)
	for _, r := range plantedRegions {
		d.Strings[r.id] = r.name
		d.Add([]trace.Record{{Kind: trace.KindRegion, Words: []uint64{r.id, r.id, 0, 0, 0, 0, r.id, r.role, r.paradigm, 0}}})
	}
	members := slices.Repeat([]uint64{99}, 12) // of ranks without a location
	for _, l := range plantedLocations {
		process := uint64(none)
		if l.rank >= 0 {
			process = uint64(l.rank)
			d.Add([]trace.Record{{Kind: trace.KindLocationGroup, Words: []uint64{process, none, 1, none, none}}})
		}
		if l.rank >= 0 && l.kind == 1 && members[l.rank] == 99 {
			members[l.rank] = l.id
		}
		d.Strings[100+l.id] = l.name
		d.Add([]trace.Record{{Kind: trace.KindLocation, Words: []uint64{l.id, 100 + l.id, l.kind, 0, process}}})
	}
	words := append([]uint64{1, none, 12}, members...)
	d.Add([]trace.Record{{Kind: trace.KindGroup, Words: append(words, commLocations, mpi, 0)}})
	return d
}

// fitsNaively says by a regular expression, lists of classes and formulas for places whether a selector without its ! fits.
func fitsNaively(text string, p *planted) bool {
	if class, ok := strings.CutPrefix(text, "@"); ok {
		return slices.ContainsFunc(p.classes, func(c string) bool { return c == class })
	}
	if slices.Contains([]string{`\@`, `\!`, `\\`}, text[:min(len(text), 2)]) {
		text = text[1:]
	}
	glob := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(text))
	expression := regexp.MustCompile("(?s)^" + glob + "$")
	if text == strconv.FormatUint(p.id, 10) || expression.MatchString(p.name) || p.kind != 0 && (expression.MatchString(labels[p.id]) || expression.MatchString(fmt.Sprint("rank ", p.rank))) {
		return true
	}
	switch text {
	case "rank 0-1":
		return p.kind != 0 && (p.rank == 0 || p.rank == 1)
	case "Rank 1,11":
		return p.kind != 0 && (p.rank == 1 || p.rank == 11)
	case "rank 1-11:10 thread 0":
		return p.kind != 0 && (p.rank == 1 || p.rank == 11) && p.thread == 0
	case "thread 0":
		return p.kind != 0 && p.thread == 0
	case "rank 1 gpu 0-3 stream 7":
		return p.id == 8
	}
	return false
}

// selectNaively unites and takes away sets.
func selectNaively(things []planted, selectors []string) (ids []uint64, ok bool) {
	taken := map[uint64]bool{}
	for i, text := range selectors {
		text, minus := strings.CutPrefix(text, "!")
		fits := map[uint64]bool{}
		for k := range things {
			if fitsNaively(text, &things[k]) {
				fits[things[k].id] = true
			}
			if i == 0 && minus {
				taken[things[k].id] = true
			}
		}
		for id := range fits {
			if minus {
				delete(taken, id)
			} else {
				taken[id] = true
			}
		}
		if len(fits) == 0 && !(minus && text[0] == '@') {
			return nil, false
		}
	}
	return slices.Sorted(maps.Keys(taken)), len(taken) > 0
}

// TestSelections holds random lists of selectors against sets that are united and taken away.
func TestSelections(t *testing.T) {
	d := plantedDefinitions()
	var ids []uint64
	for _, l := range plantedLocations {
		ids = append(ids, l.id)
	}
	for _, p := range d.Places(ids) {
		if p.Label != labels[p.Location] {
			t.Fatalf("location %d is %q, not %q", p.Location, p.Label, labels[p.Location])
		}
	}
	texts := func(things []planted, others ...string) *rapid.Generator[[]string] {
		for _, p := range things {
			others = append(others, strconv.FormatUint(p.id, 10))
			for _, c := range p.classes {
				others = append(others, "@"+c)
			}
			if strings.IndexByte(`@!\`, p.name[0]) >= 0 {
				others = append(others, `\`+p.name)
			} else {
				others = append(others, p.name)
			}
		}
		minus := rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"", "!"}).Draw(t, "sign") + rapid.SampledFrom(others).Draw(t, "selector")
		})
		return rapid.SliceOfN(minus, 1, 4)
	}
	regions := texts(plantedRegions, "MPI_*", "*", "M*", "m?in", "?", `\!$omp*`, `\\x`, "nothing", "@cuda/loop", "@hip", "@mpi/loop", "77")
	locations := texts(plantedLocations, "rank 0-1", "Rank 1,11", "rank 1-11:10 thread 0", "thread 0", "rank 1 gpu 0-3 stream 7", "rank 1*", "rank 99", "Master", "*")
	empty, found := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		list := regions.Draw(t, "regions")
		got, err := Regions(d, list)
		want, ok := selectNaively(plantedRegions, list)
		if (err == nil) != ok || ok && !slices.Equal(got, want) {
			t.Fatalf("regions %q: %v, %v, want %v, %v", list, got, err, want, ok)
		}
		if ok {
			found++
		} else {
			empty++
		}
		list = locations.Draw(t, "locations")
		got, err = Locations(d, ids, list)
		want, ok = selectNaively(plantedLocations, list)
		if (err == nil) != ok || ok && !slices.Equal(got, want) {
			t.Fatalf("locations %q: %v, %v, want %v, %v", list, got, err, want, ok)
		}
	})
	if empty == 0 || found < 10 {
		t.Errorf("%d selections and %d mistakes", found, empty)
	}
}

// TestSelectorErrors tells what each mistake is answered with.
func TestSelectorErrors(t *testing.T) {
	d := plantedDefinitions()
	regions := func(texts ...string) error {
		_, err := Regions(d, texts)
		return err
	}
	locations := func(texts ...string) error {
		_, err := Locations(d, []uint64{1, 3, 5, 6, 8, 9}, texts)
		return err
	}
	kinds := func(texts ...string) error {
		_, err := Kinds(trace.Standard, texts)
		return err
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{regions("MPI_Sned"), `no region is called "MPI_Sned"; did you mean "MPI_Send"`},
		{regions("!MPI_Sned"), `no region is called "MPI_Sned"; did you mean "MPI_Send"`},
		{regions("!$omp*"), `no region is called "$omp*"; did you mean "\\!$omp*"?`},
		{regions("999"), `no region has the id 999, and none is called so`},
		{regions("@opnmp"), `there is no class @opnmp; did you mean "@openmp"? There are @`},
		{regions("!@opnmp"), `there is no class @opnmp; did you mean "@openmp"? There are @`},
		{regions("@mpi/colective"), `there is no class @mpi/colective; did you mean "@mpi/collective" or "@mpi/section"? There are @`},
		{regions("@group:2"), `there is no class @group:2; there are @`},
		{regions("@hip"), `no region is of the class @hip; there are @compiler, @computation, @cuda, @gpu, @io, @mpi, @openmp, @unknown, @user, @/`},
		{regions("@"), `the selector "@" names no class`},
		{regions("@/"), `the selector "@/" names no class`},
		{regions("@mpi/"), `the selector "@mpi/" is no class: one has the form`},
		{regions("@mpi/a/b"), `is no class: one has the form`},
		{regions("!"), `the selector "!" does not say what is taken away`},
		{regions("!!x"), `write \! where a name begins with it`},
		{regions("MPI_*", "!@mpi"), `no region is left: MPI_*, then !@mpi takes the last away`},
		{regions("!*"), `no region is left: !* takes the last away`},
		{regions("!@hip"), ""},
		{regions(), ""},
		{locations("rank 3-1"), `no location is called "rank 3-1": "3-1" ends before it begins`},
		{locations("rank 0-8:0"), `the step of "0-8:0" is no number from 1 on`},
		{locations("rank x"), `"x" is no number and no range such as 0-3 or 0-63:4`},
		{locations("rank 0,99"), `no location is rank 99, which "rank 0,99" asks for`},
		{locations("rank 99"), `no location is called "rank 99"`},
		{locations("@gpus"), `there is no class @gpus; did you mean "@gpu"`},
		{locations("@unknown"), `no location is of the class @unknown; there are @cpu, @gpu, @metric`},
		{kinds("@mesage"), `there is no class @mesage; did you mean "@message"`},
		{kinds("Entre"), `no kind of event is called "Entre"; did you mean "Enter"`},
		{kinds("enter", "!@mpi", "@io"), ""},
	} {
		if got := fmt.Sprint(c.err); c.want == "" && c.err != nil || !strings.Contains(got, c.want) && c.want != "" {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestKindClasses: each class has kinds, and each entry of its list names one.
func TestKindClasses(t *testing.T) {
	for _, c := range kindClasses {
		for _, kind := range strings.Fields(c.kinds) {
			if _, err := Kinds(trace.Standard, []string{kind}); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
	for class, want := range map[string]string{"call": "Enter Leave CallingContextEnter CallingContextLeave", "io": "Io", "omp": "Omp"} {
		kinds, err := Kinds(trace.Standard, []string{"@" + class})
		if err != nil || len(kinds) == 0 {
			t.Fatal(err)
		}
		for _, k := range kinds {
			if name := k.String(); !strings.HasPrefix(name, want) && !strings.Contains(want, name) && !strings.HasPrefix(name, "FileOperation") {
				t.Errorf("@%s has %s", class, name)
			}
		}
	}
}

var plainPlaces = regexp.MustCompile(`(?i)^[\s\v\x{85}\p{Z}]*(rank|thread|gpu|stream)[\s\v\x{85}\p{Z}]+[0-9:,-]+([\s\v\x{85}\p{Z}]+(rank|thread|gpu|stream)[\s\v\x{85}\p{Z}]+[0-9:,-]+)*[\s\v\x{85}\p{Z}]*$`)

// FuzzSelectors: no text breaks the parser; what it takes, it takes away behind a !; an escaped name selects itself; and text that looks
// like no place selects none.
func FuzzSelectors(f *testing.F) {
	for _, seed := range []string{
		"MPI_*", "!MPI_*", "@mpi", "!@mpi/collective", "@/barrier", "@group:2", "rank 0-3", "rank 0,5,7", "rank 0-63:4 thread 0", "rank 1-", "gpu 1 stream 7",
		`\@x`, `\!x`, `\\x`, "!", "@", "!!", "@a/b/c", "\xff", "rank 99999999999999999999", "rank 0-999999999999999999:999999999999999999", "17", "rank\u00a00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSelector(text, false, false)
		if err != nil {
			return
		}
		if s.place != nil && !plainPlaces.MatchString(strings.TrimPrefix(text, "!")) {
			t.Errorf("%q is a place", text)
		}
		if !strings.HasPrefix(text, "!") && text != "" {
			for _, p := range slices.Concat(plantedRegions, plantedLocations) {
				c := candidate{id: p.id, names: []string{p.name, labels[p.id]}, label: labels[p.id], classes: func() *classes { return &classes{families: p.classes} }}
				with, _ := parseSelection(false, false, []string{text})
				without, err := parseSelection(false, false, []string{"!" + text})
				if err != nil || with.takes(&c) == without.takes(&c) {
					t.Errorf("%q and its contrary agree on %+v: %v", text, p, err)
				}
			}
		}
		if name := text; utf8.ValidString(name) && name != "" && strings.IndexByte(`@!\`, name[0]) >= 0 {
			escaped, err := parseSelector(`\`+name, false, false)
			if err != nil || !escaped.fits(&candidate{names: []string{name}}) || escaped.fits(&candidate{names: []string{"other" + name}}) && !strings.ContainsAny(name, "*?") {
				t.Errorf("%q does not select the name %q: %v", `\`+name, name, err)
			}
		}
	})
}

// TestSelectingDocument: the document lists every class.
func TestSelectingDocument(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "selecting.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, known := range []*classes{knownRegions(), knownLocations(), knownKinds()} {
		for _, family := range known.families {
			if !strings.Contains(string(text), "`@"+family+"`") {
				t.Errorf("@%s is not in the document", family)
			}
		}
		for _, role := range known.roles {
			if !strings.Contains(string(text), "`@/"+role+"`") {
				t.Errorf("@/%s is not in the document", role)
			}
		}
	}
}

// ExampleRegions takes the barriers out of MPI's functions.
func ExampleRegions() {
	d := trace.NewDefinitions(nil)
	for id, name := range []string{"main", "MPI_Send", "MPI_Barrier", "MPI_Bcast"} {
		d.Strings[uint64(id)] = name
		d.Add([]trace.Record{{Kind: trace.KindRegion, Words: []uint64{uint64(id), uint64(id), trace.Undefined, trace.Undefined, 0, 0, uint64(id), 0, 0, 0}}})
	}
	ids, err := Regions(d, []string{"@mpi", "!@mpi/barrier"})
	fmt.Println(ids, err)
	_, err = Regions(d, []string{"MPI_Sned"})
	fmt.Println(err)
	// Output:
	// [1 3] <nil>
	// no region is called "MPI_Sned"; did you mean "MPI_Send"?
}

// ExampleLocations selects ranks by their numbers.
func ExampleLocations() {
	d := trace.NewDefinitions(nil)
	for id := range uint64(8) {
		d.Strings[id] = fmt.Sprint("rank ", id)
		d.Add([]trace.Record{{Kind: trace.KindLocation, Words: []uint64{id, id, 1, 0, trace.Undefined}}})
	}
	fmt.Println(Locations(d, []uint64{0, 1, 2, 3, 4, 5, 6, 7}, []string{"rank 0-6:2", "!rank 4"}))
	// Output: [0 2 6] <nil>
}

// ExampleKinds selects all that is no call.
func ExampleKinds() {
	kinds, err := Kinds(trace.Standard, []string{"@call", "!*Context*"})
	fmt.Println(kinds, err)
	// Output: [Enter Leave] <nil>
}

// Sets of locations are found by those who know them; where nobody does, that is said. They can be taken away, and take their turn.
func TestSets(t *testing.T) {
	p := []trace.Record{}
	for id := range uint64(4) {
		p = append(p, trace.Record{Kind: trace.KindLocation, Words: []uint64{id, 0, 1, 0, 0}})
	}
	d, ids := trace.NewDefinitions(p), []uint64{0, 1, 2, 3}
	sets := func(text string) ([]uint64, error) {
		switch text {
		case "group:1":
			return []uint64{1, 3}, nil
		case "group:2":
			return []uint64{9}, nil
		}
		return nil, errors.New("nobody knows it")
	}
	for _, c := range []struct {
		selectors []string
		want      string
	}{
		{[]string{"@group:1"}, "[1 3]"}, {[]string{"!@group:1"}, "[0 2]"}, {[]string{"0", "@group:1", "!3"}, "[0 1]"}, {[]string{"@cpu", "!@group:1"}, "[0 2]"},
		{[]string{"@group:2"}, `no location of "@group:2" is in the trace`}, {[]string{"@group:7"}, `the selector "@group:7": nobody knows it`},
	} {
		got, err := LocationsAndSets(d, ids, c.selectors, sets)
		text := fmt.Sprint(got)
		if err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%q: %s, want %s", c.selectors, text, c.want)
		}
	}
	if _, err := Locations(d, ids, []string{"@group:1"}); err == nil || !strings.Contains(err.Error(), "those of a Pando file") {
		t.Errorf("without sets: %v", err)
	}
}
