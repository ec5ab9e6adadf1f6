package fuzz

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/store"
)

// A directory that takes one block for another of its kind is noticed although all checksums hold: blocks say what they
// belong to.
func TestDirectoryThatLies(t *testing.T) {
	tried := map[format.BlockKind]int{}
	for _, file := range smallFiles(t) {
		blocks := damage.Blocks(file)
		for i, b := range blocks {
			if b.Kind != format.BlockPage {
				continue
			}
			page, err := index.ParsePage(b.Payload)
			if err != nil {
				t.Fatal(err)
			}
			for _, pair := range likeEntries(page.Entries) {
				lie := *page
				lie.Entries = append([]index.Entry(nil), page.Entries...)
				x, y := &lie.Entries[pair[0]], &lie.Entries[pair[1]]
				x.Ref, y.Ref = y.Ref, x.Ref
				changed := append([]damage.Block(nil), blocks...)
				changed[i].Payload = lie.Append(nil)
				mustBeNoticed(t, damage.Join(file, changed), x.Kind)
				tried[x.Kind]++
			}
		}
	}
	for _, kind := range []format.BlockKind{format.BlockDictionary, format.BlockModel, format.BlockSlice, format.BlockCalls, format.BlockMessages, format.BlockSummary, format.BlockHashes} {
		if tried[kind] == 0 {
			t.Errorf("no two blocks of kind %v were exchanged", kind)
		}
	}
}

// A directory that names one block in place of two is noticed by a window with the calls of both: the block says which one it is. What was made of it is
// not taken for the other.
func TestDirectoryThatNamesABlockTwice(t *testing.T) {
	tried := 0
	for _, file := range smallFiles(t) {
		blocks := damage.Blocks(file)
		for i, b := range blocks {
			if b.Kind != format.BlockPage {
				continue
			}
			page, err := index.ParsePage(b.Payload)
			if err != nil {
				t.Fatal(err)
			}
			for _, pair := range likeEntries(page.Entries) {
				if page.Entries[pair[0]].Kind != format.BlockSlice {
					continue
				}
				for _, order := range [][2]int{{0, 1}, {1, 0}} {
					lie := *page
					lie.Entries = slices.Clone(page.Entries)
					lie.Entries[pair[order[0]]].Ref = lie.Entries[pair[order[1]]].Ref
					blocks[i].Payload = lie.Append(nil)
					mustRefuseCalls(t, damage.Join(file, blocks))
					tried++
				}
			}
			blocks[i] = b
		}
	}
	if tried == 0 {
		t.Error("no block was named twice")
	}
}

// mustRefuseCalls asks for all calls of a file, twice. Both times that must fail.
func mustRefuseCalls(t *testing.T, file []byte) {
	t.Helper()
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Name: "lie"})
	if err != nil {
		return
	}
	defer r.Close()
	for range 2 {
		var failed error
		for _, err := range r.Window(math.MinInt64, math.MaxInt64).Calls() {
			failed = err
		}
		if failed == nil || !strings.Contains(failed.Error(), "slice block") {
			t.Fatalf("one block is named twice: %v", failed)
		}
	}
}

// Bounds of slices that are not those of their blocks are noticed.
func TestDirectoryOfOtherTimes(t *testing.T) {
	tried := 0
	for _, file := range smallFiles(t) {
		blocks := damage.Blocks(file)
		for i, b := range blocks {
			if b.Kind != format.BlockPage {
				continue
			}
			page, err := index.ParsePage(b.Payload)
			if err != nil {
				t.Fatal(err)
			}
			page.Slices[len(page.Slices)-1].End++
			blocks[i].Payload = page.Append(nil)
			mustBeNoticed(t, damage.Join(file, blocks), format.BlockSlice)
			blocks[i] = b
			tried++
		}
	}
	if tried == 0 {
		t.Error("no page was tried")
	}
}

// likeEntries returns pairs of entries of equal kind, a few of each.
func likeEntries(entries []index.Entry) (pairs [][2]int) {
	few := map[format.BlockKind]int{}
	for i := range entries {
		for j := i + 1; j < len(entries) && few[entries[i].Kind] < 4; j++ {
			if entries[i].Kind == entries[j].Kind {
				pairs = append(pairs, [2]int{i, j})
				few[entries[i].Kind]++
			}
		}
	}
	return pairs
}

func mustBeNoticed(t *testing.T, file []byte, kind format.BlockKind) {
	t.Helper()
	readAll(t, file, math.MinInt64, math.MaxInt64)
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	report, err := r.Verify(t.Context(), store.VerifyOptions{})
	if err != nil || len(report.Problems) == 0 {
		t.Errorf("exchanged %ss are verified: %v", kind, err)
	}
	if !anyError(t, file) {
		t.Errorf("exchanged %ss are read", kind)
	}
}
