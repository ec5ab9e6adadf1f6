package fuzz

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
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
			refs, kinds, payload := directoryRefs(t, &b)
			for _, pair := range likePairs(kinds, 4) {
				x, y := refs[pair[0]], refs[pair[1]]
				*x, *y = *y, *x
				blocks[i].Payload = payload()
				mustBeNoticed(t, damage.Join(file, blocks), kinds[pair[0]])
				*x, *y = *y, *x
				tried[kinds[pair[0]]]++
			}
			blocks[i] = b
		}
	}
	for _, kind := range []format.BlockKind{format.BlockDictionary, format.BlockModel, format.BlockSlice, format.BlockCalls, format.BlockMessages, format.BlockSummary, format.BlockHashes} {
		if tried[kind] == 0 {
			t.Errorf("no two blocks of kind %v were exchanged", kind)
		}
	}
}

// A directory that names one block in place of two is noticed: the block says which one it is, and what was made of it is not taken for the other, whatever
// is asked first.
func TestDirectoryThatNamesABlockTwice(t *testing.T) {
	tried := map[format.BlockKind]int{}
	paged, err := damage.Plain(write(t, tracegen.Ring(4, 70, 1), store.Options{SliceEvents: 20, LaneLocations: 2, PageEntries: 100}))
	if err != nil {
		t.Fatal(err)
	}
	try := func(lie []byte, kind format.BlockKind) {
		tried[kind]++
		if !mustAnswerOrRefuse(t, lie) {
			return
		}
		mustBeNoticed(t, lie, kind)
		if kind == format.BlockSlice {
			mustRefuseCalls(t, lie)
		}
	}
	for _, file := range smallFiles(t) {
		eachNamedTwice(t, file, try)
	}
	eachNamedTwice(t, paged, func(lie []byte, kind format.BlockKind) {
		if kind == format.BlockPage || kind == format.BlockPostings { // others are tried in smaller files
			try(lie, kind)
		}
	})
	for _, kind := range []format.BlockKind{
		format.BlockDictionary, format.BlockModel, format.BlockSlice, format.BlockCalls, format.BlockMessages, format.BlockSummary, format.BlockHashes,
		format.BlockPage, format.BlockPostings, format.BlockLocations, format.BlockLocationTotals, format.BlockPairs, format.BlockMarks,
	} {
		if tried[kind] == 0 {
			t.Errorf("no block of kind %v was named twice", kind)
		}
	}
	t.Log(tried)
}

// eachNamedTwice does something with files whose directory names one block in place of two, of which it gives the kind.
func eachNamedTwice(t *testing.T, file []byte, do func(lie []byte, kind format.BlockKind)) {
	t.Helper()
	blocks := damage.Blocks(file)
	var refs []*format.Ref
	var kinds []format.BlockKind
	var rewrite []func() // of each reference, writes the block that it stands in
	for i := range blocks {
		r, k, payload := directoryRefs(t, &blocks[i])
		refs, kinds = append(refs, r...), append(kinds, k...)
		for range r {
			rewrite = append(rewrite, func() { blocks[i].Payload = payload() })
		}
	}
	for _, pair := range likePairs(kinds, 2) {
		for _, order := range [2][2]int{{pair[0], pair[1]}, {pair[1], pair[0]}} {
			to, from := refs[order[0]], refs[order[1]]
			was := *to
			*to = *from
			rewrite[order[0]]()
			do(damage.Join(file, blocks), kinds[pair[0]])
			*to = was
			rewrite[order[0]]()
		}
	}
}

// directoryRefs returns what a block of the directory refers to, with the kinds of that, and a function that writes the block. Of other blocks, it returns none.
func directoryRefs(t *testing.T, b *damage.Block) (refs []*format.Ref, kinds []format.BlockKind, payload func() []byte) {
	t.Helper()
	var entries []index.Entry
	switch b.Kind {
	case format.BlockPage:
		page, err := index.ParsePage(b.Payload)
		if err != nil {
			t.Fatal(err)
		}
		entries, payload = page.Entries, func() []byte { return page.Append(nil) }
	case format.BlockRoot:
		root, err := index.ParseRoot(b.Payload)
		if err != nil {
			t.Fatal(err)
		}
		entries, payload = root.Entries, func() []byte { return root.Append(nil) }
		for i := range root.Pages {
			refs, kinds = append(refs, &root.Pages[i].Ref), append(kinds, format.BlockPage)
			for l := range root.Pages[i].Lanes {
				refs, kinds = append(refs, &root.Pages[i].Lanes[l].Ref), append(kinds, format.BlockPage)
			}
		}
	}
	for i := range entries {
		refs, kinds = append(refs, &entries[i].Ref), append(kinds, entries[i].Kind)
	}
	return refs, kinds, payload
}

// mustAnswerOrRefuse asks all questions of one reader, twice: what was made for one is there for the next. It returns false if the file is not opened.
func mustAnswerOrRefuse(t *testing.T, file []byte) bool {
	t.Helper()
	r, err := store.NewReader(t.Context(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{Name: "fuzz"})
	if damaged(t, err) {
		return false
	}
	defer r.Close()
	for range 2 {
		for _, ask := range questions(t, r) {
			ask()
		}
	}
	return true
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

// likePairs returns pairs of equal kind, some of each.
func likePairs(kinds []format.BlockKind, most int) (pairs [][2]int) {
	few := map[format.BlockKind]int{}
	for i, kind := range kinds {
		for j := i + 1; j < len(kinds) && few[kind] < most; j++ {
			if kinds[j] == kind {
				pairs = append(pairs, [2]int{i, j})
				few[kind]++
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
