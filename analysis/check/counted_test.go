package check_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/internal/tracetest/thrift"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// uncounted is a source of which nothing is known before it is read.
type uncounted struct{ trace.Source }

// checkCounted compares what single rules find in a file with what they find in its events.
func checkCounted(t rapid.TB, src trace.Source) {
	t.Helper()
	file := stored.Source(t, src, store.Options{}).Source()
	if _, ok := file.(check.Counted); !ok {
		t.Fatal("a file has not counted its events")
	}
	for i, only := range append([][]check.Rule{nil, {check.Nest, check.Pairs, check.Metrics, check.Topology}, {check.Clock, check.Requests}, {check.Clock, check.Messages},
		{check.Clock, check.Collectives, check.CollectiveData}, {check.Requests, check.Collectives, check.Metrics}, {check.Clock}}, single()...) {
		o := check.Options{Only: only, Limit: 1 << 20}
		if i == 6 {
			o.MinLatency = 1000
		}
		got, err := check.Of(context.Background(), file, o)
		want, err2 := check.Of(context.Background(), uncounted{file}, o)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		got.Definitions, want.Definitions = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%v: found %d in %d events from %d to %d, want %d in %d from %d to %d\n%s", only, len(got.Findings), got.Events, got.First, got.Last,
				len(want.Findings), want.Events, want.First, want.Last, without(each(want), each(got)))
		}
	}
}

func single() (list [][]check.Rule) {
	for _, r := range check.Rules() {
		list = append(list, []check.Rule{r})
	}
	return list
}

// What a file has counted decides whether events are read, and nothing else.
func TestCounted(t *testing.T) {
	for _, name := range []string{"otf2.mg.S.16.skew", "otf2.ez.hello.4.io", "otf2.amg.8.piece", "otf2.ep.S.4.metric"} {
		checkCounted(t, open(t, tracetest.Anchor(t, name)))
	}
	rules := map[string]check.Rule{}
	for c := range check.Codes() {
		rules[c.String()] = c.Rule()
	}
	for _, fault := range tracegen.Faults() {
		switch rules[fault.Name] {
		case check.Nest, check.Messages, check.Pairs, check.Metrics, check.References:
			src := tracegen.Program(4, 9, 3)
			fault.Break(src, 3)
			checkCounted(t, src)
		}
	}
	for seed := range uint64(thrift.Of(5, 300)) {
		k := tracegen.RandomKnobs(seed)
		k.Length = min(k.Length, 100)
		checkCounted(t, tracegen.Random(seed, k))
	}
}

// A file that is opened as any trace is has counted its events, too.
func TestOpenedFileIsCounted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.pando")
	if err := os.WriteFile(path, stored.Bytes(t, tracegen.Program(4, 1, 1), store.Options{}), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := convert.Find(t.Context(), path, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	src, err := found.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if _, ok := src.(check.Counted); !ok {
		t.Errorf("%T has not", src)
	}
}

// unread is a file whose events cannot be read.
type unread struct{ check.Counted }

var errUnread = errors.New("events are read")

func (unread) EventsOf(...trace.Kind) iter.Seq2[trace.Event, error] {
	return func(yield func(trace.Event, error) bool) { yield(trace.Event{}, errUnread) }
}

func (u unread) Open(id trace.StreamID) (trace.Stream, error) {
	if id.Class == trace.StreamEvents {
		return nil, errUnread
	}
	return u.Counted.Open(id)
}

// Of a program without faults, rules about calls and ends of messages read no events.
func TestUnread(t *testing.T) {
	file := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.8.snapmark")).Source().(check.Counted)
	for _, r := range check.Rules() {
		_, err := check.Of(t.Context(), unread{file}, check.Options{Only: []check.Rule{r}})
		reads := r == check.Clock || r == check.Requests || r == check.Collectives || r == check.CollectiveData
		if errors.Is(err, errUnread) != reads || !reads && err != nil {
			t.Errorf("%v: %v", r, err)
		}
	}
}
