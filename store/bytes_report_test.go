package store_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Every byte of a file is accounted for.
func TestByteReport(t *testing.T) {
	t.Parallel()
	for _, name := range tracetest.Distinct(t) {
		src, err := otf2.Open(tracetest.Anchor(t, name), otf2.Options{})
		if err != nil {
			t.Fatal(err)
		}
		checkByteReport(t, write(t, src, store.Options{}))
	}
}

func TestPropertyByteReport(t *testing.T) {
	forSeeds(t, func(t *testing.T, seed uint64) {
		src := func() trace.Source { return tracegen.Random(seed, tracegen.RandomKnobs(seed)) }
		opt := randomOptions(rand.New(rand.NewPCG(seed, 4)))
		opt.SliceEvents = max(opt.SliceEvents, 64)
		checkByteReport(t, write(t, src(), opt))
	})
}

// checkByteReport compares a report with what a walk along the frames finds.
func checkByteReport(t *testing.T, file []byte) map[store.SpacePart]int64 {
	t.Helper()
	last, total := int64(0), int64(0)
	report, err := read(t, file).SpaceUsage(t.Context(), func(n, of int64) { last, total = n, of })
	if err != nil {
		t.Fatal(err)
	}
	lines, parts, sum := map[string]int64{}, map[store.SpacePart]int64{}, int64(0)
	for i, l := range report.Lines {
		if slices.ContainsFunc(report.Lines[:i], func(x store.SpaceLine) bool { return x.Part == l.Part && x.What == l.What }) {
			t.Errorf("%s of %s stands twice", l.What, l.Part)
		}
		if i > 0 && l.Bytes > report.Lines[i-1].Bytes {
			t.Errorf("%s has more bytes than %s before it", l.What, report.Lines[i-1].What)
		}
		lines[l.What] += l.Bytes
		parts[l.Part] += l.Bytes
		sum += l.Bytes
	}
	if n := int64(len(file)); sum != n || report.FileBytes != n || last != n-format.FooterSize || total != last {
		t.Errorf("%d bytes of a file of %d, which has %d; the last step was %d", sum, report.FileBytes, n, last)
	}
	blocks, stored := walk(file)
	want := map[string]int64{
		"header": 64, "footer": 72, "frames of blocks": 28 * blocks,
		"meta data": stored[1], "definitions": stored[2], "auxiliary records": stored[3], "dictionaries": stored[4],
		"spanning calls": stored[7], "spanning messages": stored[8], "unmatched ends of messages": stored[9], "totals": stored[10],
		"summaries": stored[11], "postings": stored[12], "directory pages": stored[13], "directory root": stored[14], "kinds of records": stored[15],
	}
	for what, n := range want {
		if lines[what] != n {
			t.Errorf("%s: %d bytes, want %d", what, lines[what], n)
		}
	}
	// What is left is divided among the parts of events.
	events := parts[store.SpaceTimes] + parts[store.SpaceValues] + parts[store.SpaceModels] + parts[store.SpaceStructure] - lines["dictionaries"]
	if events != stored[5]+stored[6] {
		t.Errorf("models and slices have %d bytes, want %d", events, stored[5]+stored[6])
	}
	return parts
}

// walk goes from frame to frame, and returns the number of blocks and the stored bytes of each kind.
func walk(file []byte) (blocks int64, stored [256]int64) {
	for rest := file[64 : len(file)-72]; len(rest) > 0; blocks++ {
		n := int64(binary.LittleEndian.Uint32(rest[8:]))
		stored[rest[4]] += n
		rest = rest[28+n:]
	}
	return blocks, stored
}

// Values are found where they are: a trace whose times are all equal has no bytes for them, one whose lengths are random
// has most of its bytes for these.
func TestByteReportOfValues(t *testing.T) {
	const n = 20000
	r := rand.New(rand.NewPCG(1, 1))
	src := tracegen.New(trace.Meta{Resolution: 1})
	b := src.Location(0, src.Process("p"))
	for i := range n {
		b.Append(trace.KindMpiIsendComplete, int64(i), r.Uint64())
		b.Append(trace.KindBufferFlush, int64(i), uint64(i), 0)
	}
	report, err := read(t, write(t, src, store.Options{})).SpaceUsage(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	first := report.Lines[0]
	if first.Part != store.SpaceValues || first.What != "MpiIsendComplete requestId" || first.Bytes < 8*n || first.Bytes > 8*n*101/100 {
		t.Errorf("%d random numbers of 64 bits: %+v", n, first)
	}
	for _, l := range report.Lines {
		if (l.Part == store.SpaceTimes || l.What == "BufferFlush stopTime") && l.Bytes > n/100 {
			t.Errorf("regular times: %+v", l)
		}
	}
}

// Where no value costs anything, what is left still belongs to those that are there.
func TestByteReportOfNothing(t *testing.T) {
	src := tracegen.New(trace.Meta{Resolution: 1})
	b := src.Location(0, src.Process("p"))
	for i := range int64(1000) {
		b.Append(trace.KindMpiCollectiveBegin, i/500)
	}
	file := write(t, src, store.Options{})
	checkByteReport(t, file)
	report, err := read(t, file).SpaceUsage(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range report.Lines {
		if l.Part == store.SpaceTimes && l.What != "MpiCollectiveBegin" || l.Part == store.SpaceValues {
			t.Errorf("%+v of a trace that has none", l)
		}
	}
}

// Blocks of kinds that nobody knows are bytes, too.
func TestByteReportOfUnknownBlocks(t *testing.T) {
	const kind, payload = 200, "anything"
	file := write(t, tracegen.Ring(2, 10, 1), store.Options{})
	footer, err := format.ParseFooter(file[len(file)-format.FooterSize:], int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	file = file[:len(file)-format.FooterSize]
	frame := format.Frame{Kind: kind, Raw: uint32(len(payload)), Ordinal: footer.Blocks}
	file = format.AppendFrame(file, &frame, []byte(payload), &footer.ID)
	footer.Blocks++
	footer.Length = uint64(len(file) + format.FooterSize)
	file = footer.Append(file)
	report, err := read(t, file).SpaceUsage(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(report.Lines, store.SpaceLine{Part: store.SpaceUnknown, What: "blocks of kind 200", Bytes: int64(len(payload))}) {
		t.Errorf("no line for %d bytes of kind %d: %+v", len(payload), kind, report.Lines)
	}
	checkByteReport(t, file)
}

// A file with bytes that belong to nothing has no report.
func TestByteReportOfDamage(t *testing.T) {
	t.Parallel()
	file := write(t, tracegen.Ring(4, 50, 1), store.Options{SliceEvents: 256})
	for at := format.HeaderSize; at < len(file)-format.FooterSize; at += 1 + len(file)/300 {
		damaged := bytes.Clone(file)
		damaged[at] ^= 0x10
		r, err := store.NewReader(t.Context(), bytes.NewReader(damaged), int64(len(damaged)), store.ReadOptions{})
		if err != nil {
			continue
		}
		report, err := r.SpaceUsage(t.Context(), nil)
		if err != nil && !format.IsCorrupt(err) {
			t.Fatalf("byte %d: %v", at, err)
		}
		if err == nil && sumOf(report) != int64(len(file)) {
			t.Fatalf("byte %d: %d bytes of %d", at, sumOf(report), len(file))
		}
	}
}

func sumOf(r *store.SpaceUsage) (sum int64) {
	for _, l := range r.Lines {
		sum += l.Bytes
	}
	return sum
}
