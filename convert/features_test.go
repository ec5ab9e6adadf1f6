package convert

import (
	"io"
	"slices"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/record"
	"github.com/pandotrace/pando/trace"
)

// TestFeatures holds what formats are said to express against what the bundled traces of each do. All that a format can
// express is in one of them.
func TestFeatures(t *testing.T) {
	mains := map[string]string{"otf2": ".otf2", "otf1": ".otf", "clog2": ".clog2"}
	shown := map[string]map[string]bool{} // by format
	for format, ext := range mains {
		for _, name := range tracetest.BundledOf(t, format) {
			for _, path := range tracetest.Files(t, name, ext) {
				show(t, path, shown)
			}
			if format == "clog2" {
				for _, path := range tracetest.Files(t, name, ".slog2") {
					show(t, path, shown)
				}
			}
		}
	}
	show(t, "chrome/testdata/phases.json", shown)
	show(t, recordAll(t), shown)
	shown["CLOG-2"]["collectives"] = true // the format has a record for them, which MPE does not write
	for _, f := range formats {
		for _, feature := range features {
			if f.Name != "Pando" && shown[f.Name][feature.Name] != f.Has(feature.Name) {
				t.Errorf("%s: %s: %v, but traces show %v", f.Name, feature.Name, f.Has(feature.Name), shown[f.Name][feature.Name])
			}
		}
		for _, name := range f.holds {
			if !slices.ContainsFunc(features, func(f Feature) bool { return f.Name == name }) {
				t.Errorf("%s holds %q, which is no feature", f.Name, name)
			}
		}
	}
}

// recordAll records an event of each kind that a recording may hold.
func recordAll(t *testing.T) string {
	t.Helper()
	r, err := record.Start(t.TempDir(), record.Options{Budget: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	l := r.Location("main")
	l.Enter(r.Region("all"))
	l.Metric(r.Metric("load", "1"), 1)
	l.Mark(r.Marker("all", "marker", record.SeverityLow), "here")
	for k := trace.KindMeasurementOnOff; k <= trace.KindCommDestroy; k++ {
		if spec := trace.Standard.Spec(k); spec != nil && k != trace.KindMetric {
			before, _, after := spec.Shape()
			l.Event(uint16(k), make([]uint64, before+after)...) // of groups that are repeated 0 times
		}
	}
	l.Leave()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return r.Path()
}

// show notes the features that a trace has.
func show(t *testing.T, path string, shown map[string]map[string]bool) {
	t.Helper()
	found, err := Find(t.Context(), path, Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	src, err := found.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if shown[found.Format] == nil {
		shown[found.Format] = map[string]bool{}
	}
	for _, info := range append(src.Streams(), src.Streams()...) { // some are known when events were read
		s, err := src.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		var b trace.Batch
		for err = s.Next(&b, 1000); err == nil; err = s.Next(&b, 1000) {
			showBatch(&b, shown[found.Format])
		}
		if err != io.EOF {
			t.Fatalf("%s: %v", path, err)
		}
		s.Close()
	}
}

func showBatch(b *trace.Batch, shown map[string]bool) {
	for i, k := range b.Kinds {
		for _, f := range features {
			if f.shows != nil && f.shows(k) {
				shown[f.Name] = true
			}
		}
		if len(b.AttrsOf(i)) > 0 {
			shown[attributeFeature] = true
		}
	}
}
