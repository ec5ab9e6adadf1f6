package main

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// TestWindow compares windows, with and without filters, with the answers of the naive model.
func TestWindow(t *testing.T) {
	const name = "otf2.mg.S.8.snapmark"
	file, m := converted(t, name), load(t, name)
	first, last, _ := m.Span()
	calls, messages, events := m.Calls(), m.Match().Messages, m.Events()
	send, receive := regionNamed(t, m, "MPI_Send"), regionNamed(t, m, "MPI_Wait")
	at := func(percent int64) int64 { return first + ((last-first+1)*percent+50)/100 }
	tests := []struct {
		flags []string
		want  model.Window
	}{
		{nil, model.Window{From: first, To: last + 1}},
		{[]string{"--from", "80%", "--to", "82%"}, model.Window{From: at(80), To: at(82)}},
		{[]string{"--from", "300ms", "--to", "+1ms"}, model.Window{From: first + 3e8, To: first + 301e6}},
		{[]string{"--from", "80%", "--location", "MPI Rank 3", "--location", "*thread 5"},
			model.Window{From: at(80), To: last + 1, Locations: []uint64{3, 5}}},
		{[]string{"--calls", "--messages", "--region", "MPI_Send", "--region", strconv.FormatUint(receive, 10), "--min-duration", "10us"},
			model.Window{From: first, To: last + 1, Regions: []uint64{send, receive}, MinDuration: 10000}},
		{[]string{"--from", "90%", "--events", "--kind", "mpi*", "--kind", "CommCreate"},
			model.Window{From: at(90), To: last + 1, Kinds: kindsLike("Mpi", "CommCreate")}},
	}
	for _, tt := range tests {
		lines := jsonLinesOf(t, output(t, append([]string{"window", file, "--json"}, tt.flags...)...))
		w, want := &tt.want, []string(nil)
		if slices.Contains(tt.flags, "--events") {
			want = identities(first, nil, nil, w.Events(events))
		} else {
			want = identities(first, w.Calls(calls), w.Messages(messages), nil)
		}
		got := make([]string, len(lines))
		for i, l := range lines {
			got[i] = l.identity(t)
		}
		if !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%q: %d lines, want %d; the first: %.3q, want %.3q", tt.flags, len(got), len(want), got[:min(3, len(got))], want[:min(3, len(want))])
		}
		limited := jsonLinesOf(t, output(t, append([]string{"window", file, "--json", "--limit", "1"}, tt.flags...)...))
		if limited[0].identity(t) != want[0] || len(limited) > 2 {
			t.Errorf("%q --limit 1: %v", tt.flags, limited)
		}
	}
}

func regionNamed(t *testing.T, m *model.Trace, name string) uint64 {
	for _, id := range m.Definitions.Regions() {
		if m.Definitions.Name(trace.SpaceRegion, id) == name {
			return id
		}
	}
	t.Fatalf("no region %s", name)
	return 0
}

func kindsLike(prefix, other string) (kinds []trace.Kind) {
	for _, s := range trace.Standard.All() {
		if s.Name == other || len(s.Name) > len(prefix) && s.Name[:len(prefix)] == prefix {
			kinds = append(kinds, s.ID)
		}
	}
	return kinds
}

// identities lists calls, messages and events in the form of identity, times relative to the first event.
func identities(first int64, calls []trace.Call, messages []trace.Message, events []model.Event) (list []string) {
	for _, e := range events {
		list = append(list, fmt.Sprintln("event", e.Location, e.Ordinal, e.Time-first, e.Kind))
	}
	for _, c := range calls {
		list = append(list, fmt.Sprintln("call", c.Location, c.Ordinal, c.Start-first, c.End-first, c.Exclusive, c.Region, c.Depth, c.Children))
	}
	for _, x := range messages {
		list = append(list, fmt.Sprintln("message", x.SendLocation, x.SendOrdinal, x.ReceiveLocation, x.ReceiveOrdinal, x.SendTime-first,
			x.ReceiveTime-first, x.SendLength, x.ReceiveLength, x.Tag, x.Communicator))
	}
	return list
}

// identity lists the numbers of a call, message or event.
func (l jsonLine) identity(t *testing.T) string {
	keys := map[any][]string{
		"event":   {"location", "ordinal", "ticks"},
		"call":    {"location", "ordinal", "start_ticks", "end_ticks", "exclusive_ticks", "region", "depth", "children"},
		"message": {"send_location", "send_ordinal", "receive_location", "receive_ordinal", "send_ticks", "receive_ticks", "send_bytes", "receive_bytes", "tag", "communicator"},
	}[l["type"]]
	values := []any{l["type"]}
	for _, k := range keys {
		values = append(values, l.number(t, k))
	}
	if l["type"] == "event" {
		values = append(values, l["kind"])
	}
	return fmt.Sprintln(values...)
}

// TestStack compares stacks with those of the naive model.
func TestStack(t *testing.T) {
	const name = "otf2.amg.8.piece"
	file, m := converted(t, name), load(t, name)
	first, last, _ := m.Span()
	deepest := 0
	for percent := int64(0); percent < 100; percent += 9 {
		instant := first + ((last-first+1)*percent+50)/100
		want := m.CallStack(5, instant)
		deepest = max(deepest, len(want))
		text := output(t, "stack", file, "--at", fmt.Sprint(percent, "%"), "--location", "5", "--json")
		lines := jsonLinesOf(t, text)
		if len(lines) != len(want) {
			t.Errorf("at %d%%: %d calls, want %d", percent, len(lines), len(want))
			continue
		}
		for i, c := range want {
			if lines[i].number(t, "ordinal") != c.Ordinal || lines[i].number(t, "region") != c.Region || lines[i].number(t, "depth") != uint64(i) {
				t.Errorf("at %d%%: %v, want %+v", percent, lines[i], c)
			}
		}
	}
	if deepest < 5 {
		t.Errorf("no stack is deeper than %d", deepest)
	}
}
