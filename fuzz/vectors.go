package fuzz

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Vector is a small file with one feature or one fault.
type Vector struct {
	Name string
	File []byte
	// Expected is what a reader must make of it: a Dump, or a Fault.
	Expected any
}

// Fault is the class of error that a file must be refused with.
type Fault struct {
	Error string `json:"error"`
}

// Dump is what a file holds. Names and texts are in hexadecimal digits.
type Dump struct {
	Meta        map[string]any `json:"meta"`
	SHA256      string         `json:"sha256"`
	Definitions []any          `json:"definitions"`
	Locations   []any          `json:"locations"`
	Auxiliary   []any          `json:"auxiliary"`
}

// Vectors makes all vectors: the same ones each time.
func Vectors() ([]Vector, error) {
	vectors, err := features()
	if err != nil {
		return nil, err
	}
	faults, err := faults()
	return append(vectors, faults...), err
}

// DumpOf tells what a trace holds.
func DumpOf(src trace.Source) (*Dump, error) {
	m, err := model.Load(src)
	if err != nil {
		return nil, err
	}
	meta := src.Meta()
	properties := []any{}
	for _, p := range meta.Properties {
		properties = append(properties, []string{text(p.Name), text(p.Value)})
	}
	d := &Dump{Meta: map[string]any{"format": text(meta.Format), "resolution": meta.Resolution, "epoch": meta.Epoch, "properties": properties},
		Definitions: []any{}, Locations: []any{}, Auxiliary: []any{}}
	for i := range m.Definitions.Log {
		r := model.DefinitionOf(&m.Definitions.Log[i], meta.Table())
		d.Definitions = append(d.Definitions, []any{r.Kind, words(r.Words), texts(r.Texts)})
	}
	for _, l := range m.Locations {
		d.Locations = append(d.Locations, map[string]any{"id": l.ID, "events": records(l.Events)})
	}
	for _, s := range m.Auxiliary {
		d.Auxiliary = append(d.Auxiliary, map[string]any{"class": s.ID.Class, "number": s.ID.Location, "records": records(s.Records)})
	}
	return d, nil
}

func text(s string) string { return hex.EncodeToString([]byte(s)) }

func texts(list []string) []string {
	out := []string{}
	for _, s := range list {
		out = append(out, text(s))
	}
	return out
}

func words(list []uint64) []uint64 { return append([]uint64{}, list...) }

// records lists records as kind, time, residual, words, attributes, texts.
func records(list []model.Record) []any {
	out := []any{}
	for i := range list {
		r := &list[i]
		attributes := [][]uint64{}
		for _, a := range r.Attrs {
			attributes = append(attributes, []uint64{a.ID, uint64(a.Type), a.Value})
		}
		out = append(out, []any{r.Kind, r.Time, r.Residual, words(r.Words), attributes, texts(r.Texts)})
	}
	return out
}

// Read reads a file as the vectors tell it: what it holds, or the class of what is wrong.
func Read(file []byte) (any, error) {
	r, err := store.NewReader(bytes.NewReader(file), int64(len(file)), store.ReadOptions{Name: "vector"})
	if err != nil {
		return faultOf(err)
	}
	d, err := DumpOf(r.Source())
	if err != nil {
		return faultOf(err)
	}
	sum := r.Info().SHA256
	d.SHA256 = hex.EncodeToString(sum[:])
	return d, nil
}

// faultOf returns the class of an error.
func faultOf(err error) (any, error) {
	var c *format.CorruptError
	if !errors.As(err, &c) {
		return nil, err
	}
	message := c.Err.Error()
	has := func(texts ...string) bool {
		for _, t := range texts {
			if strings.Contains(message, t) {
				return true
			}
		}
		return false
	}
	class := "content"
	switch {
	case c.Section == "header" && has("not a Pando file"):
		class = "magic"
	case c.Section == "header" && has("format version"):
		class = "version"
	case c.Section == "header" && has("features"):
		class = "feature"
	case c.Section == "header" || c.Section == "footer":
		class = c.Section
	case has("codec", "zstd", "bytes stored"):
		class = "codec"
	case c.Section == "frame" || c.Section == "file" || has("checksum is", "another block stands here", "do not fit into the file"):
		class = "block"
	}
	return Fault{class}, nil
}

// vectorFile writes a trace, uncompressed.
func vectorFile(src trace.Source, opt store.Options) ([]byte, error) {
	file, err := compressedFile(src, opt)
	if err != nil {
		return nil, err
	}
	return Plain(file)
}

// compressedFile writes a trace as writers do.
func compressedFile(src trace.Source, opt store.Options) ([]byte, error) {
	opt.ID = format.FileID{'v', 'e', 'c', 't', 'o', 'r'}
	var file bytes.Buffer
	w, err := store.NewWriter(&file, src.Meta(), opt)
	if err == nil {
		err = store.Copy(w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	return file.Bytes(), err
}

// small are options with which a short trace has many blocks.
var small = store.Options{SliceEvents: 40, Fanout: 2, EpochSlices: 4, LaneLocations: 2}

func features() ([]Vector, error) {
	var all []Vector
	add := func(name string, open func() trace.Source, opt store.Options, write func(trace.Source, store.Options) ([]byte, error)) error {
		file, err := write(open(), opt)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		want, err := DumpOf(open())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r, err := store.NewReader(bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		sum := r.Info().SHA256
		want.SHA256 = hex.EncodeToString(sum[:])
		all = append(all, Vector{name, file, want})
		return nil
	}
	for _, f := range featureTraces() {
		if err := add(f.name, f.open, small, vectorFile); err != nil {
			return nil, err
		}
		if f.whole {
			if err := add(f.name+"-in-one-slice", f.open, store.Options{}, vectorFile); err != nil {
				return nil, err
			}
		}
		if f.name == "ring" || f.name == "auxiliary" {
			if err := add(f.name+"-compressed", f.open, small, compressedFile); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

type featureTrace struct {
	name  string
	open  func() trace.Source
	whole bool
}

// featureTraces are short traces, each with one thing more than the plain one.
func featureTraces() []featureTrace {
	list := []featureTrace{
		{"empty", func() trace.Source { return tracegen.New(trace.Meta{}) }, false},
		{"ring", func() trace.Source { return tracegen.Ring(3, 6, 1) }, true},
		{"exchange", func() trace.Source { return tracegen.Exchange(2, 20, true, 1000, 1) }, true},
		{"one-event", func() trace.Source { return oneEvent(0) }, false},
		{"greatest-time", func() trace.Source { return oneEvent(store.MaxTime) }, false},
		{"least-time", func() trace.Source { return oneEvent(-store.MaxTime) }, false},
		{"deep-recursion", deepTrace, true},
	}
	for _, k := range []struct {
		name string
		set  func(k *tracegen.Knobs)
	}{
		{"plain", func(*tracegen.Knobs) {}},
		{"threads", func(k *tracegen.Knobs) { k.Threads = 3 }},
		{"same-time", func(k *tracegen.Knobs) { k.SameTime = 0.5 }},
		{"leaps", func(k *tracegen.Knobs) { k.Leaps = 0.1 }},
		{"burst", func(k *tracegen.Knobs) { k.Burst = 50 }},
		{"mismatch", func(k *tracegen.Knobs) { k.Mismatch = 0.3 }},
		{"recursion", func(k *tracegen.Knobs) { k.Recursion = 8 }},
		{"repeat", func(k *tracegen.Knobs) { k.Repeat = 20 }},
		{"lattice", func(k *tracegen.Knobs) { k.Lattice, k.Step = 10, 500 }},
		{"any-kind", func(k *tracegen.Knobs) { k.Any = 0.5 }},
		{"attributes", func(k *tracegen.Knobs) { k.Attributes = 0.5 }},
		{"residuals", func(k *tracegen.Knobs) { k.Residuals = 0.3 }},
		{"sparse-ids", func(k *tracegen.Knobs) { k.SparseIDs = true }},
		{"contexts", func(k *tracegen.Knobs) { k.Contexts = true }},
		{"auxiliary", func(k *tracegen.Knobs) { k.Auxiliary = true }},
		{"late-definitions", func(k *tracegen.Knobs) { k.Late = true }},
		{"private-kinds", func(k *tracegen.Knobs) { k.Private, k.Any = true, 0.3 }},
		{"undeclared", func(k *tracegen.Knobs) { k.Undeclared = true }},
		{"idle-threads", func(k *tracegen.Knobs) { k.Threads, k.IdleThreads = 2, true }},
		{"messages", func(k *tracegen.Knobs) { k.Messages, k.Talk = 60, 0.9 }},
	} {
		knobs := tracegen.Knobs{Processes: 2, Threads: 1, Length: 60, Regions: 3, Messages: 10, Talk: 0.2, Step: 100, Lattice: 1, Repeat: 3}
		k.set(&knobs)
		list = append(list, featureTrace{k.name, func() trace.Source { return tracegen.Random(5, knobs) }, true})
	}
	return list
}

func oneEvent(t int64) trace.Source {
	src := tracegen.New(trace.Meta{})
	src.Location(7, src.Process("process")).Append(trace.KindEnter, t, 3)
	return src
}

// deepTrace makes a trace of a recursion, with noisy times: large shapes, and statistics that are worth a code of their own.
func deepTrace() trace.Source {
	const depth = 800
	src := tracegen.New(trace.Meta{})
	b := src.Location(0, src.Process("process"))
	r := rand.New(rand.NewPCG(1, 1))
	var now int64
	for range 2 {
		for i := range 2 * depth {
			now += int64(r.ExpFloat64()*100) + int64(r.Uint64N(1<<20)>>r.IntN(20))
			kind := trace.KindEnter
			if i >= depth {
				kind = trace.KindLeave
			}
			b.Append(kind, now, uint64(min(i, 2*depth-1-i)%3))
		}
	}
	return src
}
