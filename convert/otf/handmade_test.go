package otf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// head are definitions that handmade traces share: processes 1, 2 and thread 10001 of 1; functions 1 (main) and 2; two communicators.
const head = "DTR3e8\nDP1NM\"Rank 0\"\nDP2NM\"Rank 1\"\nDP10001NM\"Thread\"PT1\nDF1G1NM\"main\"\nDF2G1NM\"f\"\n" +
	"DPG64M2,1,NM\"MPI_COMM_WORLD\"\nDPG65M1,NM\"self\"\nDCO1NM\"MPI_Bcast\"Y2\nDCO2NM\"MPI_Bcast\"Y2\nDCO3NM\"omp barrier\"Y1\nDCO4NM\"omp other\"Y0\n"

// events returns what the processes 1, 2 and 10001 of one stream have to say, and the archive.
func events(t *testing.T, opt Options, definitions, text string) (map[uint64][]string, *Archive) {
	t.Helper()
	a := mustOpen(t, write(t, map[string]string{".otf": "1:1,2,10001\n", ".0.def": head + definitions, ".1.events": text}), opt)
	got, defs := map[uint64][]string{}, trace.NewDefinitions(a.log)
	for _, process := range []uint64{1, 2, 0x10001} {
		list, err := recordsOf(a, eventsOf(process), 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			got[process] = append(got[process], tell(defs, &r))
		}
	}
	return got, a
}

// tell prints a record: time, kind, words, texts and attributes, the special ones by their names.
func tell(defs *trace.Definitions, r *record) string {
	s := fmt.Sprintf("%d %s %v", r.time, r.kind, r.words)
	if r.texts != nil {
		s += fmt.Sprintf(" %q", r.texts)
	}
	for _, attr := range r.attrs {
		name := defs.Name(trace.SpaceAttribute, attr.ID)
		if !strings.HasPrefix(name, "otf.") {
			name = fmt.Sprint(attr.ID)
		}
		s += fmt.Sprintf(" %s=%s(%d)", name, attr.Type, int64(attr.Value))
	}
	return s
}

// seen says how often there was a warning.
func seen(a *Archive, kind string) uint64 {
	for _, w := range a.Warnings() {
		if w.Kind == kind {
			return w.Count
		}
	}
	return 0
}

const none = noRank

func TestDeviations(t *testing.T) {
	const odd = 255
	tests := []struct {
		name        string
		definitions string
		text        string
		want        []string // of process 1
		warning     string
	}{
		{name: "white space, blank lines, missing digits", text: "\n 5\n* 1 \n\tE\t1 \nE\nENTER  2\nLEAVE\n", want: []string{
			"5 Enter [1]", "5 Enter [0]", "5 Enter [2]", "5 Leave [2]"}},
		{name: "leaves that do not say of what", text: "5\n*1\nE1\nE2\nE3\nL\nL1\nL\nL0X5\nL2\n", want: []string{
			"5 Enter [1]", "5 Enter [2]", "5 Enter [3]", "5 Leave [3]", "5 Leave [1]", "5 Leave [0]", "5 Leave [0] otf.source=SOURCE_CODE_LOCATION(5)", "5 Leave [2]"}},
		{name: "function 0", text: "5\n*1\nE0\nE1\nL1\nL\n", want: []string{"5 Enter [0]", "5 Enter [1]", "5 Leave [1]", "5 Leave [0]"}},
		{name: "processes by turns", text: "5\n*1\nE1\n*2\nE1\n6\nE2\n*1\nE2\n", want: []string{"5 Enter [1]", "6 Enter [2]"}},
		{name: "an old message of statistics among events", text: "5\n*1\nSM2C64T5NS1NR1S1R1\nE1\n", want: []string{
			`5 UnknownEvent [0 0] ["SM2C64T5NS1NR1S1R1"]`, "5 Enter [1]"}, warning: "unknown record"},
		{name: "unknown fields", text: "5\n*1\nE1X5Z9\nE1\n", want: []string{
			"5 Enter [1] otf.source=SOURCE_CODE_LOCATION(5)", "5 Enter [1]"}, warning: "unknown field"},
		{name: "a number too large", text: "5\n*1\nE100000002\nE0000000000000000001\n", want: []string{"5 Enter [2]", "5 Enter [1]"}, warning: "number too large"},
		{name: "a last line without an end", text: "5\n*1\nE1\nL", want: []string{"5 Enter [1]"}, warning: "last line without an end"},
		{name: "attributes without a record", text: "5\n*1\nE1\nK1Y6V5\n", want: []string{"5 Enter [1]"}, warning: "attributes without a record"},
		{name: "an attribute that stands twice", text: "5\n*1\nK1Y6V5\nK1Y6V6\nE1\n", want: []string{"5 Enter [1] 1=UINT32(5)"}, warning: "attribute that stands twice"},
		{name: "attributes before time and process", text: "5\n*2\nK1Y1Vfb\n6\n*1\nE1\n", want: []string{"6 Enter [1] 1=INT8(-5)"}},
		{name: "lists of bytes", text: "5\n*1\nK7Y6V1\nK8YbV0102L4\nK8YbVa0b0L2\nK9Y6V2\nKaYbVffL1\nE1\n", want: []string{
			`5 AttributeBytes [8 1] ["\x01\x02\xa0\xb0"]`, `5 AttributeBytes [10 3] ["\xff"]`, "5 Enter [1] 7=UINT32(1) 9=UINT32(2)"}},
		{name: "a list of bytes without its end", text: "5\n*1\nK8YbV0102L4\nE1\n", want: []string{
			`5 AttributeBytes [8 0] ["\x01\x02"]`, "5 Enter [1]"}, warning: "list of bytes without its end"},
		{name: "a process of no stream", text: "5\n*7\nE1\n*1\nE1\n", want: []string{"5 Enter [1]"}, warning: "record of a process that the index does not give to the stream"},

		{name: "messages", text: "5\n*1\nS2L8T9C64\nR2L8T9C64\n", want: []string{"5 MpiSend [0 100 9 8]", "5 MpiRecv [0 100 9 8]"}},
		{name: "a message to a thread", text: "5\n*2\nE1\n*1\nS10001L8T9C64\n", want: []string{"5 MpiSend [1 100 9 8] otf.process=LOCATION(65537)"}},
		{name: "a message to nobody", text: "5\n*1\nS7L8T9C64\n", want: []string{
			fmt.Sprintf("5 MpiSend [%d 0 9 8] otf.communicator=COMM(100) otf.process=LOCATION(7)", none)}, warning: "process that is not defined"},
		{name: "a message without communicator", text: "5\n*1\nS2L8T9C0\n", want: []string{"5 MpiSend [0 0 9 8]"}},
		{name: "a message to who is not a member", text: "5\n*1\nS2L8T9C65\n", want: []string{"5 MpiSend [0 0 9 8] otf.communicator=COMM(101)"},
			warning: "message between processes that are not members of its communicator"},

		{name: "a collective operation as a whole", text: "5\n*1\nE1\nCOP1C64RT1S8R9D3\n6\nE2\n8\nL2\n9\nL1\n", want: []string{
			"5 Enter [1]", "5 MpiCollectiveBegin []", "6 Enter [2]", "8 MpiCollectiveEnd [1 100 1 8 9]", "8 Leave [2]", "9 Leave [1]"}},
		{name: "one that lasts beyond the end", text: "5\n*1\nCOP1C64RT0S8R9Dff\n6\nPE\n", want: []string{
			"5 MpiCollectiveBegin []", "6 ProcessEnd []", fmt.Sprintf("260 MpiCollectiveEnd [1 100 %d 8 9]", none)}},
		{name: "one of another name", text: "5\n*1\nCOP3C64RT0S0R0D0\nCOP4C64RT0S0R0D0\nCOP2C64RT2S0R0D0\nCOP9C64RT7S0R0D0\n", want: []string{
			"5 MpiCollectiveBegin []", fmt.Sprintf("5 MpiCollectiveEnd [0 100 %d 0 0] otf.collective=UINT32(3)", none),
			"5 MpiCollectiveBegin []", fmt.Sprintf("5 MpiCollectiveEnd [%d 100 %d 0 0] otf.collective=UINT32(4)", odd, none),
			"5 MpiCollectiveBegin []", "5 MpiCollectiveEnd [1 100 0 0 0] otf.collective=UINT32(2)",
			"5 MpiCollectiveBegin []", fmt.Sprintf("5 MpiCollectiveEnd [%d 100 %d 0 0] otf.collective=UINT32(9) otf.process=LOCATION(7)", odd, none)}},
		{name: "one that ends before the one before", text: "5\n*1\nCOP1C64RT0S0R0D9\n6\nCOP1C64RT2S1R2D1\n", want: []string{
			"5 MpiCollectiveBegin []", "6 Collective [1 100 2 1 2 1]", fmt.Sprintf("14 MpiCollectiveEnd [1 100 %d 0 0]", none)},
			warning: "collective operation that ends out of order"},
		{name: "one that never ends", text: "5\n*1\nCOP1C64RT0S0R0Dffffffffffffffff\n", want: []string{
			"5 Collective [1 100 0 0 0 18446744073709551615]"}, warning: "collective operation that ends out of order"},
		{name: "begin and end of collective operations", text: "5\n*1\nCOPB1H7C64RT1S8R9\nCOPB1H8C64RT2S8R9\n6\nCOPE7\n7\nCOPE8\n", want: []string{
			"5 MpiCollectiveBegin [] otf.matchId=UINT64(7)", "5 MpiCollectiveBegin [] otf.matchId=UINT64(8)",
			"6 MpiCollectiveEnd [1 100 1 8 9] otf.matchId=UINT64(7)", "7 MpiCollectiveEnd [1 100 0 8 9] otf.matchId=UINT64(8)"}},
		{name: "a begin without an end", text: "5\n*1\nCOPB1H7C64RT1S8R9\n6\n*2\nE1\n", want: []string{
			"5 MpiCollectiveBegin [] otf.matchId=UINT64(7)", "6 CollectiveUnended [7 1 100 1 8 9]"}, warning: "collective operation without an end"},
		{name: "an end without a begin", text: "5\n*1\nCOPE7\n", want: []string{"5 CollectiveUnbegun [7]"}, warning: "end of a collective operation without a begin"},

		{name: "old ends of file operations", text: "5\n*1\nFB1092X5\nFE7H1092OP43B2000\n", want: []string{
			"5 FileOperationBegin [4242] otf.source=SOURCE_CODE_LOCATION(5)", "5 FileOperationEnd [7 4242 0 3 64 8192]"}},
		{name: "counters of all types", definitions: "DCNT1G0NM\"i\"P20U\"\"\nDCNT2G0NM\"d\"P125U\"\"\nDCNT3G0NM\"old\"P60G7U\"\"\n",
			text: "5\n*1\nCNT1Vffffffffffffffff\nCNT2V4000000000000000\nCNT3V1\nCNT9V2\n", want: []string{
				"5 Metric [1 1 8 18446744073709551615]", "5 Metric [2 1 10 4611686018427387904]", "5 Metric [3 1 7 1]", "5 Metric [9 1 4 2]"}},
	}
	for _, tt := range tests {
		for _, window := range []int{16, 1 << 16} {
			got, a := events(t, Options{WindowBytes: window}, tt.definitions, tt.text)
			compareLines(t, tt.name, got[1], tt.want)
			if tt.warning != "" && seen(a, tt.warning) == 0 {
				t.Errorf("%s: warnings %v, want %q", tt.name, a.Warnings(), tt.warning)
			}
			if tt.warning == "" && len(besidesCut(a)) > 0 {
				t.Errorf("%s: warnings %v", tt.name, a.Warnings())
			}
		}
	}
}

// TestManyCollectives: whatever many operations are under way, all that the file says is there.
func TestManyCollectives(t *testing.T) {
	const n = 300
	var text strings.Builder
	text.WriteString("5\n*1\n")
	for i := range n {
		fmt.Fprintf(&text, "COPB1H%xC64RT0S%xR0\nCOP1C64RT0S%xR1D%x\n", i, i, i, 1000+i)
	}
	got, _ := events(t, Options{}, "", text.String())
	counts := map[string]int{}
	for _, line := range got[1] {
		counts[strings.Fields(line)[1]]++
	}
	want := map[string]int{"MpiCollectiveBegin": n + maxEnds, "MpiCollectiveEnd": maxEnds, "Collective": n - maxEnds, "CollectiveUnended": n}
	if fmt.Sprint(counts) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", counts, want)
	}
}

// TestDeepCalls: calls that nest deeper than what is remembered are known again when the others were left.
func TestDeepCalls(t *testing.T) {
	text := "5\n*1\n" + strings.Repeat("E1\n", maxDepth-1) + "E2\nE1\nL1\nL\nL\n"
	got, _ := events(t, Options{}, "", text)
	if last := got[1][len(got[1])-2:]; last[0] != "5 Leave [2]" || last[1] != "5 Leave [1]" {
		t.Errorf("%q", last)
	}
	a := mustOpen(t, write(t, map[string]string{".otf": "1:1\n", ".0.def": head, ".1.events": strings.TrimSuffix(text, "L1\nL\nL\n") + "L\n"}), Options{})
	if _, err := recordsOf(a, eventsOf(1), 1000); err == nil || !strings.Contains(err.Error(), "too deep") {
		t.Errorf("%v", err)
	}
}

// TestScopes: definitions of a stream count there and nowhere else.
func TestScopes(t *testing.T) {
	files := map[string]string{
		".otf":   "1:1\n2:2\n3:3\n",
		".0.def": head + "DP3NM\"Rank 2\"\n",
		".1.def": "DF2G1NM\"g\"\nDF5G1NM\"mine\"\nDPG64M1,2,NM\"turned\"\nDCNT1G0NM\"double\"P120U\"\"\nDCO1NM\"MPI_Scan\"Y0\n",
		".2.def": "DF2G1NM\"f\"\nDF5G1NM\"yours\"\nDCNT1G0NM\"integer\"P20U\"\"\n",
	}
	for _, s := range []string{"1", "2", "3"} {
		files["."+s+".events"] = "5\n*" + s + "\nE2\nE5\nS1L0T0C64\nCNT1V1\nCOP1C64RT0S0R0D0\n"
	}
	a := mustOpen(t, write(t, files), Options{})
	defs := trace.NewDefinitions(a.log)
	var got []string
	for process := range uint64(3) {
		list, err := recordsOf(a, eventsOf(process+1), 10)
		if err != nil {
			t.Fatal(err)
		}
		peer, _ := defs.RankLocation(list[2].words[1], list[2].words[0], process+1)
		got = append(got, fmt.Sprintf("%s %s, send to %d in %q, %s counter, operation %d",
			defs.Name(trace.SpaceRegion, list[0].words[0]), defs.Name(trace.SpaceRegion, list[1].words[0]),
			peer, defs.Name(trace.SpaceComm, list[2].words[1]), trace.ValueType(list[3].words[2]), list[5].words[0]))
	}
	want := []string{
		`g mine, send to 1 in "turned", DOUBLE counter, operation 14`,
		`f yours, send to 1 in "MPI_COMM_WORLD", INT64 counter, operation 1`,
		`f mine, send to 1 in "all processes", DOUBLE counter, operation 1`, // refers to what others define
	}
	compareLines(t, "streams", got, want)
	if n := len(streamsOf(a, trace.StreamLocalDefinitions)); n != 2 {
		t.Errorf("%d streams of local definitions", n)
	}
	tables, err := recordsOf(a, trace.StreamID{Class: trace.StreamLocalDefinitions, Location: 1}, 1)
	if err != nil || len(tables) != 2 || !slices.Equal(tables[0].words[:4], []uint64{3, 1, 1, 2}) {
		t.Errorf("tables %v, %v", tables, err)
	}
}

// TestModel looks at the definitions that are made of those in the files.
func TestModel(t *testing.T) {
	more := "DP3\nDP4NM\"loop\"PT5\nDP5NM\"pool\"PT4\nDA7M8,\nDPGA10001V7\nDFG1NM\"MPI\"\nDSF1NM\"a.c\"\nDS5F1L20\nDF6G1NM\"located\"X5\n" +
		"DCG1NM\"PAPI\"\nDCNT1G1NM\"cycles\"P125U\"1/s\"\nDFL3NM\"/tmp/x\"G0\nDK4Y9NM\"key\"T\"what it is\"\n"
	a := mustOpen(t, write(t, map[string]string{".otf": "1:1,2,10001,3,4,5,99\n", ".0.def": head + more, ".1.events": ""}), Options{})
	d := trace.NewDefinitions(a.log)
	var locations []string
	for _, l := range d.Locations {
		locations = append(locations, fmt.Sprintf("%x %q type %d of %x %q", l.ID, d.Strings[l.Name], l.Type, l.Group, d.Name(trace.SpaceLocationGroup, l.Group)))
	}
	compareLines(t, "locations", locations, []string{
		`1 "Rank 0" type 1 of 1 "Rank 0"`, `2 "Rank 1" type 1 of 2 "Rank 1"`, `10001 "Thread" type 2 of 1 "Rank 0"`, `3 "" type 1 of 3 ""`,
		`4 "loop" type 1 of 4 "loop"`, `5 "pool" type 1 of 5 "pool"`, `99 "" type 1 of 99 ""`})
	if got := ranksOf(d); !slices.Equal(got, []uint64{2, 1, 3, 4, 5, 0x99}) {
		t.Errorf("ranks of %x", got)
	}
	r, _ := d.Region(6)
	if d.Strings[r.Name] != "located" || d.Strings[r.SourceFile] != "a.c" || r.BeginLine != 0x20 {
		t.Errorf("region %+v", r)
	}
	var group []uint64
	for id, g := range d.GroupLists {
		if g.Type == groupRegions && d.Name(trace.SpaceGroup, id) == "MPI" {
			group = g.Members
		}
	}
	if !slices.Equal(group, []uint64{1, 2, 6}) {
		t.Errorf("group of regions %v", group)
	}
	m := d.Members[1]
	if got := fmt.Sprint(d.Strings[m.Name], " ", d.Strings[m.Description], " ", d.Strings[m.Unit], " ", m.Mode, " ", m.ValueType); got != "cycles PAPI 1/s 17 10" {
		t.Errorf("metric %s", got)
	}
	if k := d.Attributes[4]; d.Strings[k.Name] != "key" || d.Strings[k.Description] != "what it is" || k.Type != trace.ValueFloat {
		t.Errorf("attribute %+v", k)
	}
	if d.Name(trace.SpaceIoFile, 3) != "/tmp/x" || d.Clock.Resolution != 1000 {
		t.Errorf("file %q, clock %+v", d.Name(trace.SpaceIoFile, 3), d.Clock)
	}
}

// TestTimes: times are relative to the begin of the trace if the definitions tell it.
func TestTimes(t *testing.T) {
	const begin = 0x4000000000000000
	got, a := events(t, Options{}, "DTRG4000000000000000T4000000000000010\nDAUX4000000000000008Y0\n", "3fffffffffffffff\n*1\nE1\n4000000000000010\n*1\nL1\n")
	if a.Meta().Epoch != begin || a.Meta().Resolution != 1000 {
		t.Errorf("epoch %x, resolution %d", a.Meta().Epoch, a.Meta().Resolution)
	}
	compareLines(t, "events", got[1], []string{"-1 Enter [1]", "16 Leave [1]"})
	d := trace.NewDefinitions(a.log)
	if d.Clock.GlobalOffset != begin || d.Clock.Length != 16 {
		t.Errorf("clock %+v", d.Clock)
	}
	for _, r := range a.log {
		if r.Kind == trace.KindOtfSamplePoint && r.Words[1] != 8 {
			t.Errorf("sample point at %d", r.Words[1])
		}
	}
}
