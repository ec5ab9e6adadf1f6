package vectors

import (
	"math"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/annotation"
)

// annotatedTrace is a trace of which several things were said, one of them of a kind that nobody knows.
func annotatedTrace() trace.Source {
	src := tracegen.New(trace.Meta{Resolution: 1000, Annotations: []annotation.Annotation{
		{Kind: annotation.Calls, Name: "a step", Class: "main(solve(norm))", From: 5, To: 9, Communicator: annotation.NoCommunicator, Fingerprint: []byte{1, 2, 3, 255}, Routine: &annotation.Routine{
			Steps: []annotation.Step{{Region: "solve"}, {Region: "norm", Count: math.MaxUint64}}, Least: 1, Most: 1 << 40, Share: 998_001,
			Locations: []annotation.Span{{First: 0, Last: 3}, {First: 5, Last: 5}, {First: math.MaxUint64 - 1, Last: math.MaxUint64}},
		}},
		{Kind: annotation.Messages, Name: "halo", Class: "4 x 4 grid", From: -store.MaxTime, To: store.MaxTime, Fingerprint: []byte{0}, Text: "with the ranks as they are numbered"},
		{Kind: 200, Name: "\xff", Communicator: 7},
	}})
	src.Location(1, src.Process("p")).Append(trace.KindEnter, 5, src.Region("main"))
	return src
}

// routineOf are the steps of a routine, its repetitions, share and locations.
func routineOf(r *annotation.Routine) []any {
	if r == nil {
		return []any{}
	}
	steps, spans := []any{}, []any{}
	for _, s := range r.Steps {
		steps = append(steps, []any{text(s.Region), s.Count})
	}
	for _, s := range r.Locations {
		spans = append(spans, []any{s.First, s.Last})
	}
	return []any{steps, r.Least, r.Most, r.Share, spans}
}

// annotations adds files whose annotations are none.
func (f *faulty) annotations() {
	one := func(name string, rest ...byte) []byte {
		return append(append([]byte{0, byte(len(name))}, name...), append([]byte{0}, rest...)...)
	}
	routine := func(says ...byte) []byte {
		return append([]byte{1}, one("a", append([]byte{0, 0, 0, 0, 0}, says...)...)...)
	}
	for _, c := range []struct {
		name string
		says []byte
	}{
		{"out-of-order", append(append([]byte{2}, one("b", 0, 0, 0, 0, 0, 0)...), one("a", 0, 0, 0, 0, 0, 0)...)},
		{"without-a-name", append([]byte{1}, one("", 0, 0, 0, 0, 0, 0)...)},
		{"that-end-before-they-begin", append([]byte{1}, one("a", 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0)...)},
		{"of-a-long-fingerprint", append(append([]byte{1}, one("a", 0, 0, 0, 65)...), make([]byte, 67)...)},
		{"of-a-routine-that-is-never-repeated", routine(1, 1, 's', 1, 0, 0, 0, 0)},
		{"of-more-than-all-of-the-time", routine(1, 1, 's', 1, 1, 0, 0xc1, 0x84, 0x3d, 0)},
		{"of-locations-out-of-order", routine(1, 1, 's', 1, 1, 0, 0, 2, 0, 4, 1, 0)},
	} {
		f.add("annotations-"+c.name, "content", withAnnotations(f.file, c.says))
	}
}

// withAnnotations returns a file with a block of annotations.
func withAnnotations(file, says []byte) []byte {
	blocks := damage.Blocks(file)
	last := len(blocks) - 1
	root, err := index.ParseRoot(blocks[last].Payload)
	if err != nil {
		panic(err) // the file is one that was just written
	}
	root.Entries = append(root.Entries, index.Entry{Kind: format.BlockAnnotations, Ref: format.Ref{Offset: math.MaxUint64}}) // which Join sets right
	blocks[last].Payload = root.Append(nil)
	added := damage.Block{Frame: format.Frame{Kind: format.BlockAnnotations}, Offset: -1, Payload: says}
	return damage.Join(file, append(append(blocks[:last:last], added), blocks[last:]...))
}
