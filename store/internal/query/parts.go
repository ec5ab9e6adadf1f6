package query

import (
	"iter"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store/internal/ahead"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
)

// Part is what of a window lies in one slice, or in a part of it if the slice is large. It belongs to one goroutine, and is valid until the function that it was given to
// returns.
type Part struct {
	window       *Window
	span         Span
	lanes        []uint32
	messageLanes *read.MessageLanes
	merged       []*mergedCalls
	read         []spanRuns
	tooMuch      bool // it was, and is done again in smaller parts
}

// PartContents says what will be asked of the parts of a window, so that it is read ahead, and no more than that.
type PartContents uint8

// What parts have.
const (
	PartCalls PartContents = 1 << iota
	PartEvents
	PartMessages
)

// Parts does something with each part of a window, on all processors, and yields the results in order; what it did with a part that
// turned out to be too large counts for nothing, and is done again with smaller ones. Together the parts have the
// calls, events and messages that the window has, each once, in the window's order.
func Parts[T any](w *Window, of PartContents, do func(*Part) (T, error)) iter.Seq2[T, error] {
	return StreamParts(w, of, func(p *Part, give func(T) bool) error {
		v, err := do(p)
		if err == nil && !p.tooMuch {
			give(v)
		}
		return err
	})
}

// StreamParts is Parts with several results of each part, which are yielded while it is worked on if it is its turn. Else a few wait, and then
// give does. It returns false when no more are wanted. What is asked of the part is asked before the first
// result, and results hold nothing that is valid as long as the part.
func StreamParts[T any](w *Window, of PartContents, do func(p *Part, give func(T) bool) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		t, err := &read.MessageLanes{}, error(nil)
		if of&PartMessages != 0 {
			t, err = w.messageLanes()
		} else {
			t.Lanes, err = w.Lanes()
		}
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		n := read.Needs{Calls: of&PartCalls != 0, Events: of&PartEvents != 0}
		if of&PartMessages != 0 {
			n.Messages = t
		}
		all := sweep(w, t.Lanes, n, w.partQuery(of), whole, func(s Span, give func(any) bool) error {
			p := Part{window: w, span: s, lanes: t.Lanes, messageLanes: t}
			defer p.free()
			err := do(&p, func(v T) bool { return give(v) })
			if p.tooMuch {
				return ErrTooMuch
			}
			return err
		})
		for v, err := range ahead.Of[T](all) {
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// partQuery returns the query that chooses slices. With several contents, a slice needs only one of them.
func (w *Window) partQuery(of PartContents) index.Query {
	switch of {
	case PartCalls:
		return w.query(true)
	case PartEvents:
		return w.query(false)
	}
	return nil
}

func (p *Part) free() {
	for _, c := range p.merged {
		callRoom.Put(c)
	}
	for i := range p.read {
		p.read[i].free()
	}
}

// Calls returns the window's calls that begin in the part, in order, and in the first part those that are open when it begins.
func (p *Part) Calls() ([]trace.Call, error) { return p.calls(p.span.First) }

// OverlappingCalls returns the window's calls that begin in the part or are open when it begins, in order. In a part that is not the
// first, the open ones belong to parts before it.
func (p *Part) OverlappingCalls() ([]trace.Call, error) { return p.calls(true) }

// calls returns the calls that begin in the part, and with open those that are open when it begins.
func (p *Part) calls(open bool) ([]trace.Call, error) {
	c, err := p.window.spanCalls(p.span, p.lanes, open, wholeCalls)
	if err != nil {
		p.tooMuch = p.tooMuch || err == ErrTooMuch
		return nil, err
	}
	p.merged = append(p.merged, c)
	return c.rows(), nil
}

// Messages returns the window's messages whose earlier end lies in the part, in order, and in the first part those that are
// under way when it begins.
func (p *Part) Messages() ([]trace.Message, error) {
	m, err := p.window.messagesOf(&p.span, p.messageLanes)
	p.tooMuch = p.tooMuch || err == ErrTooMuch
	return m, err
}

// Batches calls visit with the window's events in the part, location by location in the order of definition, and the ordinal of the first one of
// each batch. Events of all kinds are in them. They are valid as long as the part.
func (p *Part) Batches(visit func(b *trace.Batch, first uint64)) error {
	runs, err := p.runs()
	for i := range runs {
		visit(runs[i].batch, runs[i].first)
	}
	return err
}

// Events calls visit with each of the window's events in the part, in order. They are valid as long as the part.
func (p *Part) Events(visit func(trace.Event)) error {
	runs, err := p.runs()
	if err != nil {
		return err
	}
	p.window.mergeEvents(runs, func(e trace.Event, _ error) bool { visit(e); return true })
	return nil
}

// runs reads the window's events in the part. They are valid as long as the part.
func (p *Part) runs() ([]run, error) {
	found, err := p.window.runsOf(p.span, p.lanes, p.span.part)
	if err != nil {
		p.tooMuch = p.tooMuch || err == ErrTooMuch
		return nil, err
	}
	p.read = append(p.read, found)
	return found.runs, nil
}
