package columnar

import (
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// none is the undefined reference of 32-bit fields.
const none = trace.Undefined >> 32

// handmade is a trace with a clock of 2 GHz of which every cell can be told by looking at it.
func handmade() *tracegen.Trace {
	t := tracegen.New(trace.Meta{Resolution: 2_000_000_000, Epoch: 1000})
	t.Define(trace.KindSystemTreeNode, 0, t.String("host"), t.String("node"), none)
	t.Define(trace.KindLocationGroup, 70, t.String("Rank 0"), 1, 0, none)
	t.Define(trace.KindLocationGroup, 71, t.String("Rank 1"), 1, 0, 70)
	for _, l := range [][2]uint64{{1 << 40, 71}, {9, 70}, {8, 70}} {
		t.Define(trace.KindLocation, l[0], t.String("thread"), 1, 0, l[1])
	}
	world := t.Comm(t.CommLocations(9, 1<<40))
	main, compute := t.Region("main"), t.Region("a \"b\", c\nd")
	context := t.Context(compute, none)
	t.Define(trace.KindMetricMember, 5, t.String("bytes"), none, 3, 0, uint64(trace.ValueUint64), 1, 3, t.String("B"))
	t.Define(trace.KindMetricMember, 6, t.String("load"), none, 3, 0, uint64(trace.ValueDouble), 0, 1, none)
	t.Define(trace.KindMetricClass, 0, 2, 5, 6, 1, 0)
	t.Define(trace.KindAttribute, 3, t.String("loop"), uint64(trace.ValueInt32), none)

	a := t.Events(9)
	a.Append(trace.KindEnter, 101, main)
	a.Append(trace.KindEnter, 104, compute)
	a.SetAttrs([]trace.Attr{{ID: 3, Type: trace.ValueInt32, Value: ^uint64(0)}, {ID: 4, Type: trace.ValueDouble, Value: 0x3ff8 << 48}})
	a.Append(trace.KindMpiSend, 105, 1, world, 12, 4096)
	a.Append(trace.KindLeave, 109, compute)
	a.Append(trace.KindMetric, 109, 0, 2, uint64(trace.ValueUint64), 7, uint64(trace.ValueDouble), 0x3fe0<<48)
	a.Append(trace.KindLeave, 120, main)

	b := t.Events(1 << 40)
	b.Append(trace.KindCallingContextEnter, 102, context, 1)
	b.Append(trace.KindEnter, 103, main)
	b.Append(trace.KindMpiRecv, 104, 0, world, 12, 4096) // its clock is slow
	b.Append(trace.KindCallingContextLeave, 106, context)
	b.Append(trace.KindEnter, 110, 99)

	t.Events(8)
	t.Events(2).Append(trace.KindUnknownEvent, 130, 200, 0, t.Events(2).PutText("\x00\xff"))
	return t
}

// TestHandmade shows each table of the handmade trace. Cells that are null are shown as "-".
func TestHandmade(t *testing.T) {
	r := stored(t, handmade())
	for table, want := range map[string]string{
		"calls": `
call parent location location_name process process_name thread rank region name start_ns start_ticks end_ns end_ticks duration_ns duration_ticks exclusive_ns exclusive_ticks depth children open cut calling_context
5 - 9 thread 70 Rank_0 0 0 0 main 0 0 10 19 10 19 7 14 0 1 false false -
0 - 1099511627776 thread 71 Rank_1 0 1 1 a_"b",_c|d 1 1 3 5 2 4 1 1 0 1 false false 0
1 0 1099511627776 thread 71 Rank_1 0 1 0 main 1 2 3 5 2 3 2 3 1 0 false true -
6 5 9 thread 70 Rank_0 0 0 1 a_"b",_c|d 2 3 4 8 3 5 3 5 1 0 false false -
4 - 1099511627776 thread 71 Rank_1 0 1 99 - 5 9 15 29 10 20 10 20 0 0 true false -
`,
		"messages": `
send_event receive_event send_location send_location_name send_process send_process_name send_thread send_rank receive_location receive_location_name receive_process receive_process_name receive_thread receive_rank send_ns send_ticks receive_ns receive_ticks latency_ns latency_ticks tag communicator communicator_name send_bytes receive_bytes
7 2 9 thread 70 Rank_0 0 0 1099511627776 thread 71 Rank_1 0 1 2 4 2 3 -1 -1 12 0 communicator 4096 4096
`,
		"metrics": `
event location location_name process process_name thread rank ns ticks metric position member name unit type value value_int value_raw
9 9 thread 70 Rank_0 0 0 4 8 0 0 5 bytes B UINT64 7000 7 -
9 9 thread 70 Rank_0 0 0 4 8 0 1 6 load - DOUBLE 1 - 0.5
`,
		"locations": `
location location_name process process_name thread rank type events calls max_depth first_event first_ns first_ticks last_ns last_ticks
1099511627776 thread 71 Rank_1 0 1 CPU_THREAD 5 3 2 0 1 1 5 9
9 thread 70 Rank_0 0 0 CPU_THREAD 6 2 2 5 0 0 10 19
8 thread 70 Rank_0 1 0 CPU_THREAD 0 0 0 11 - - - -
2 - - - - - - 1 0 0 11 15 29 15 29
`,
		"communicators": `
id name inter group group_name group2 group2_name parent flags
0 communicator false 0 group - - - NONE
`,
		"groups": `
id name number_of_members position member group_type paradigm paradigm_name group_flags
0 group 2 0 9 COMM_LOCATIONS 4 - NONE
0 group 2 1 1099511627776 COMM_LOCATIONS 4 - NONE
`,
		"location_groups": `
id name location_group_type system_tree_parent system_tree_parent_name creating_location_group creating_location_group_name
70 Rank_0 PROCESS 0 host - -
71 Rank_1 PROCESS 0 host 70 Rank_0
`,
		"system_tree": `
id name class_name parent parent_name
0 host node - -
`,
		"metric_classes": `
id number_of_metrics position metric_member metric_member_name metric_occurrence recorder_kind
0 2 0 5 bytes SYNCHRONOUS UNKNOWN
0 2 1 6 load SYNCHRONOUS UNKNOWN
`,
		"calling_contexts": `
id region region_name source_code_location parent parent_name
0 1 a_"b",_c|d - - -
`,
	} {
		for _, f := range []Format{Parquet, Arrow, CSV} {
			if got := shown(exported(t, r, table, Options{Format: f})); got != strings.TrimPrefix(want, "\n") {
				t.Errorf("%s in %s:\n%swant:%s", table, f, got, want)
			}
		}
	}
}

// shown writes a table with spaces between its cells.
func shown(c *contents) string {
	escape := strings.NewReplacer(" ", "_", "\n", "|", null, "-")
	var b strings.Builder
	for _, row := range slices.Concat([][]string{c.columns}, c.rows) {
		cells := make([]string, len(row))
		for i := range row {
			cells[i] = escape.Replace(row[i])
		}
		b.WriteString(strings.Join(cells, " ") + "\n")
	}
	return b.String()
}

func TestHandmadeEvents(t *testing.T) {
	c := exported(t, stored(t, handmade()), "events", Options{Format: Parquet})
	for column, want := range map[string]string{
		"event":             "5 0 1 2 6 7 3 8 9 4 10 11",
		"ordinal":           "0 0 1 2 1 2 3 3 4 4 5 0",
		"ticks":             "0 1 2 3 3 4 5 8 8 9 19 29",
		"kind":              "Enter CallingContextEnter Enter MpiRecv Enter MpiSend CallingContextLeave Leave Metric Enter Leave UnknownEvent",
		"region":            "0 1 0 - 1 - 1 1 - 99 0 -",
		"peer":              "- - - 0 - 1 - - - - - -",
		"communicator_name": "- - - communicator - communicator - - - - - -",
		"tag":               "- - - 12 - 12 - - - - - -",
		"bytes":             "- - - 4096 - 4096 - - - - - -",
	} {
		if got := strings.ReplaceAll(strings.Join(c.column(t, column), " "), null, "-"); got != want {
			t.Errorf("%s: %s, want %s", column, got, want)
		}
	}
	fields, attributes := c.column(t, "fields"), c.column(t, "attributes")
	for row, want := range map[int]string{
		0:  `{"region":0}`,
		1:  `{"callingContext":0,"unwindDistance":1}`,
		5:  `{"receiver":1,"communicator":0,"msgTag":12,"msgLength":4096}`,
		8:  `{"metric":0,"numberOfMetrics":2,"typeIds":["UINT64","DOUBLE"],"metricValues":[7,0.5]}`,
		11: `{"record":200,"bigEndian":0,"payload":"00ff"}`,
	} {
		if fields[row] != want {
			t.Errorf("fields of row %d: %s, want %s", row, fields[row], want)
		}
	}
	if got, want := attributes[4], `{"loop":-1,"4":1.5}`; got != want || attributes[3] != null {
		t.Errorf("attributes %s, want %s", got, want)
	}
}
