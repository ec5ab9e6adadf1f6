package vectors

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/model"
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

// Dump is the contents of a file. Names and texts are in hexadecimal digits.
type Dump struct {
	Meta        map[string]any `json:"meta"`
	SHA256      string         `json:"sha256"`
	Definitions []any          `json:"definitions"`
	Locations   []any          `json:"locations"`
	Auxiliary   []any          `json:"auxiliary"`
	// Calls and the fields below follow from the records: calls by location, and the contents of the file's tables.
	Calls     []any `json:"calls"`
	Messages  []any `json:"messages"`
	Unmatched []any `json:"unmatched"`
	Postings  []any `json:"postings"`
	Summaries []any `json:"summaries"`
	Bins      []any `json:"bins"`
	Hashes    []any `json:"hashes,omitempty"`
	// Annotations are kind, name, class, from, to, communicator, fingerprint, text and routine: steps, least, most, share and locations.
	Annotations []any `json:"annotations,omitempty"`
	// Pairs are those of events that a file lists: family, and of both ends location, ordinal, time and kind.
	Pairs []any `json:"pairs,omitempty"`
}

// All makes all vectors. Each call makes the same ones.
func All() ([]Vector, error) {
	var all []Vector
	for _, list := range []func() ([]Vector, error){features, unknowns, smallest, faults, DenseFaults} {
		some, err := list()
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	classForms(all)
	return all, nil
}

// dumpRecords lists the records of a trace.
func dumpRecords(src trace.Source, m *model.Trace) *Dump {
	meta := src.Meta()
	properties := []any{}
	for _, p := range meta.Properties {
		properties = append(properties, []string{text(p.Name), text(p.Value)})
	}
	d := &Dump{Meta: map[string]any{"format": text(meta.Format), "resolution": meta.Resolution, "epoch": meta.Epoch, "properties": properties},
		Definitions: []any{}, Locations: []any{}, Auxiliary: []any{}, Calls: []any{}, Messages: []any{}, Unmatched: []any{}}
	for _, a := range meta.Annotations {
		d.Annotations = append(d.Annotations, []any{a.Kind, text(a.Name), text(a.Class), a.From, a.To, a.Communicator, hex.EncodeToString(a.Fingerprint), text(a.Text), routineOf(a.Routine)})
	}
	for i := range m.Definitions.Log {
		r := model.DefinitionOf(&m.Definitions.Log[i], meta.Table())
		d.Definitions = append(d.Definitions, []any{r.Kind, words(r.Words), texts(r.Texts)})
	}
	for _, l := range m.Locations {
		d.Locations = append(d.Locations, map[string]any{"id": l.ID, "events": recordsOf(l.Events)})
	}
	for _, s := range m.Auxiliary {
		d.Auxiliary = append(d.Auxiliary, map[string]any{"class": s.ID.Class, "number": s.ID.Location, "records": recordsOf(s.Records)})
	}
	return d
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

// recordsOf lists records as kind, time, residual, words, attributes, texts.
func recordsOf(list []model.Record) []any {
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

// Read returns the contents of a file as a *Dump, or its fault as a Fault.
func Read(file []byte) (any, error) {
	r, err := store.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Name: "vector"})
	if err != nil {
		return faultOf(err)
	}
	d, err := dumpReader(r, file)
	if err != nil {
		return faultOf(err)
	}
	return d, nil
}

// dumpReader lists the contents of a file.
func dumpReader(r *store.Reader, file []byte) (*Dump, error) {
	m, err := model.Load(r.Source())
	if err != nil {
		return nil, err
	}
	d := dumpRecords(r.Source(), m)
	sum := r.Info().SHA256
	d.SHA256 = hex.EncodeToString(sum[:])
	found, err := readItems(r)
	if err != nil {
		return nil, err
	}
	d.addItems(m, found)
	return d, d.readTables(file, m)
}

// dumpOf lists what a file made of a trace must hold. Calls and messages come from the naive model.
func dumpOf(src trace.Source, file []byte) (*Dump, error) {
	m, err := model.Load(src)
	if err != nil {
		return nil, err
	}
	r, err := store.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		return nil, err
	}
	d := dumpRecords(src, m)
	sum := r.Info().SHA256
	d.SHA256 = hex.EncodeToString(sum[:])
	d.addItems(m, modelItems(m))
	return d, d.readTables(file, m)
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
	case errors.Is(err, format.ErrUnsupported):
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

// File returns a trace as a file with uncompressed blocks.
func File(src trace.Source, opt store.Options) ([]byte, error) {
	file, err := compressedFile(src, opt)
	if err != nil {
		return nil, err
	}
	return damage.Plain(file)
}

// compressedFile returns a trace as a file, compressed as usual.
func compressedFile(src trace.Source, opt store.Options) ([]byte, error) {
	opt.ID = format.FileID{'v', 'e', 'c', 't', 'o', 'r'}
	var file bytes.Buffer
	w, err := store.NewWriter(context.Background(), &file, src.Meta(), opt)
	if err == nil {
		err = store.Copy(context.Background(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	return file.Bytes(), err
}
