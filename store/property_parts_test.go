package store_test

import (
	"slices"

	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// part is what a part of a window gave, copied.
type part struct {
	calls, open []trace.Call
	messages    []trace.Message
	events      []model.Event
}

// parts compares what the parts of a window have with what the window has.
func (c *checker) parts(w model.Window) {
	c.Helper()
	all := drain(c, store.Parts(c.ask(w), store.PartCalls|store.PartEvents|store.PartMessages, c.part))
	var got part
	for i := range all {
		got.calls = append(got.calls, all[i].calls...)
		got.messages = append(got.messages, all[i].messages...)
		got.events = append(got.events, all[i].events...)
	}
	same(c.T, "calls of parts", drain(c, c.ask(w).Calls()), got.calls, equals)
	messages := drain(c, c.ask(w).Messages())
	same(c.T, "messages of parts", messages, got.messages, equals)
	c.streamed(w, messages)
	byTime := w.Events(c.subject.events)
	if len(byTime) != len(got.events) {
		c.Errorf("%d events of parts, want %d", len(got.events), len(byTime))
	}
	ended := map[model.EventID]bool{}
	for _, call := range w.Calls(c.calls) {
		ended[model.EventID{Location: call.Location, Ordinal: call.EndOrdinal}] = true
	}
	for i := range all {
		c.leaves(&all[i], ended)
	}
}

// streamed takes the messages of the parts of a window one by one: all of them, and a few.
func (c *checker) streamed(w model.Window, want []trace.Message) {
	c.Helper()
	for _, most := range []int{len(want), c.rand.IntN(len(want) + 1)} {
		var got []trace.Message
		for m, err := range store.StreamParts(c.ask(w), store.PartMessages, eachMessage) {
			if err != nil {
				c.Fatal(err)
			}
			if len(got) == most {
				break
			}
			got = append(got, m)
		}
		same(c.T, "streamed messages of parts", want[:most], got, equals)
	}
}

func eachMessage(p *store.Part, give func(trace.Message) bool) error {
	messages, err := p.Messages()
	for i := range messages {
		if !give(messages[i]) {
			break
		}
	}
	return err
}

func (c *checker) part(p *store.Part) (out part, err error) {
	calls, err := p.Calls()
	out.calls = slices.Clone(calls)
	if err == nil {
		out.messages, err = p.Messages()
	}
	if err == nil {
		calls, err = p.OverlappingCalls()
		out.open = slices.Clone(calls)
	}
	table := c.reader.Meta().Table()
	if err == nil {
		err = p.Events(func(e trace.Event) {
			out.events = append(out.events, model.Event{Location: e.Batch.Location, Ordinal: e.Ordinal, Record: model.RecordOf(e.Batch, e.Index, table)})
		})
	}
	return out, err
}

// leaves wants the calls that end in a part to be among those of the part. Events at which the window's calls end are given.
func (c *checker) leaves(p *part, ended map[model.EventID]bool) {
	c.Helper()
	ends := map[model.EventID]bool{}
	for _, call := range p.open {
		ends[model.EventID{Location: call.Location, Ordinal: call.EndOrdinal}] = true
	}
	for i := range p.events {
		if id := p.events[i].ID(); ended[id] && !ends[id] {
			c.Errorf("the call that event %v ended is not in its part", id)
		}
	}
}
