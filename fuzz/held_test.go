package fuzz

import (
	"bytes"
	"context"
	"io"
	"os"
	"testing"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/store"
)

// Memory of what is done with a file of few bytes, whatever these stand for: saving it, besides what is said at TestSaving, and making
// tables of it.
const (
	savingBytes = 64 << 20
	tableBytes  = 128 << 20
)

// mustFit asks a file everything with the default limits, and saves it. Memory is what is held at a time: a sound file is gone through
// several times.
func mustFit(t *testing.T, name string, file []byte) {
	t.Helper()
	m, most := measureHeld(t, name, file)
	m.questions()
	m.saving(savingBytes)
	t.Logf("%s, %d bytes: %d bytes of memory at most", name, len(file), *most)
}

// measureHeld returns a measure of the memory that is held, and where it says how much that was.
func measureHeld(t *testing.T, name string, file []byte) (measure, *uint64) {
	most := new(uint64)
	return measure{t: t, name: name, src: &countedFile{Reader: bytes.NewReader(file)}, size: int64(len(file)), most: questionBytes, tries: 3,
		memory: func(ask func()) uint64 {
			held := heldWhile(ask)
			*most = max(*most, held)
			return held
		}}, most
}

// entrances are the ways into a file besides the questions: each is gone with a reader of its own.
func (m *measure) entrances() {
	m.t.Helper()
	note := func(err error) { damaged(m.t, err) }
	for way, do := range map[string]func(r *store.Reader){
		"batches":   func(r *store.Reader) { _, err := countTold(r.All().Batches()); note(err) },
		"backward":  func(r *store.Reader) { _, err := countTold(r.All().EventsBackward()); note(err) },
		"begun":     func(r *store.Reader) { _, err := countTold(r.All().CallsByStartBackward()); note(err) },
		"unmatched": func(r *store.Reader) { _, err := countTold(r.All().UnmatchedMessageEnds()); note(err) },
		"sample": func(r *store.Reader) {
			_, err := r.Verify(context.Background(), store.VerifyOptions{Sample: 0.5})
			note(err)
		},
	} {
		m.through(way, do)
	}
	if os.Getenv("PANDO_SOAK") == "" {
		return
	}
	m.most = tableBytes
	for _, table := range []string{"calls", "messages", "events"} {
		m.through("table of "+table, func(r *store.Reader) { note(writeTable(r, table)) })
	}
}

// through does something with a new reader.
func (m *measure) through(way string, do func(r *store.Reader)) {
	m.t.Helper()
	r, err := store.NewReader(context.Background(), m.src, m.size, store.ReadOptions{Limits: m.limits, Name: "fuzz"})
	if damaged(m.t, err) {
		return
	}
	m.did(way, func() { do(r) })
	m.worked(way, store.ReadStats{}, r.ReadStats())
}

func writeTable(r *store.Reader, table string) error {
	x, err := columnar.New(r)
	if err != nil {
		return err
	}
	_, err = x.Write(context.Background(), io.Discard, table, columnar.Options{Format: columnar.CSV, Whole: true})
	return err
}
