package calltree

import (
	"runtime"
	"testing"
	"weak"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// Tables of leaves do not keep dictionaries: a file has one for each epoch, and some are large.
func TestLeavesKeepNoDictionary(t *testing.T) {
	f := NewForest()
	e := f.Events(trace.NewDefinitions(nil), nil)
	view := func() weak.Pointer[shape.View] {
		d := shape.NewDictionary(trace.Standard)
		d.Prepare()
		if e.Of(d.View()) == nil || e.steps.leaves(d.View()) == nil {
			t.Error("no tables")
		}
		return weak.Make(d.View())
	}()
	for range 3 {
		runtime.GC()
	}
	if view.Value() != nil {
		t.Error("the view is kept")
	}
	runtime.KeepAlive(e)
}
