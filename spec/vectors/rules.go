package vectors

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store"
)

// ruleFault breaks one of the rules of section 12 of the format's description, in a way that takes one byte of a block's payload.
type ruleFault struct {
	name string
	file int // which of the files of faults; if none of its bytes breaks the rule, the others are tried
	kind format.BlockKind
	at   int  // the byte
	bits byte // that change
	// says is what the error must say: it is this rule that is broken, and no other. If after a change of the format the byte does not do
	// that any more, another one is looked for.
	says string
}

const (
	shortFile = iota
	auxiliaryFile
	messagesFile
	tablesFile
	talkFile
	lanesFile  = 8
	hashesFile = 9
	pagesFile  = 10
	// describedFile is the short file, which describes all its kinds.
	describedFile = 12
)

var ruleFaults = []ruleFault{
	{"directory-without-meta", shortFile, format.BlockRoot, 20, 1, "lists no meta block"},
	{"directory-without-kinds", shortFile, format.BlockRoot, 35, 0x80, "lists no kinds block"},
	{"directory-without-totals", shortFile, format.BlockRoot, 64, 1, "lists no totals block"},
	{"directory-without-model", shortFile, format.BlockPage, 23, 1, "lists no model of"},
	{"dictionary-of-another-group", shortFile, format.BlockDictionary, 0, 1, "it belongs to group"},
	{"dictionary-of-another-page", shortFile, format.BlockDictionary, 3, 2, "stands in the place of page"},
	{"model-of-another-group", shortFile, format.BlockModel, 0, 1, "it belongs to group"},
	{"model-of-pages-that-are-not-there", shortFile, format.BlockModel, 3, 2, "pages of the dictionary, of which there are"},
	{"marks-of-more-than-their-bytes", messagesFile, format.BlockMarks, 4, 0x80, "marks in"},
	{"slice-of-another-lane", shortFile, format.BlockSlice, 1, 1, "it is slice"},
	{"slice-of-other-times", shortFile, format.BlockSlice, 3, 1, "the directory says"},
	{"calls-of-another-node", shortFile, format.BlockCalls, 1, 2, "it belongs to node"},
	{"messages-of-another-node", messagesFile, format.BlockMessages, 1, 2, "it belongs to node"},
	{"summary-of-no-node", shortFile, format.BlockSummary, 0, 1, "the tree has no node"},
	{"count-that-cannot-be", shortFile, format.BlockPage, 1, 0x80, "is too large"},
	{"fanout", shortFile, format.BlockRoot, 0, 2, "fanout 0"},
	{"groups-that-do-not-divide-nodes", shortFile, format.BlockRoot, 1, 1, "do not divide"},
	{"pages-of-other-slices", shortFile, format.BlockRoot, 3, 1, "pages describe"},
	{"epochs-without-slices", shortFile, format.BlockRoot, 3, 2, "epochs of 0 slices"},
	{"epoch-behind-the-end", shortFile, format.BlockRoot, 5, 2, "begins with group"},
	{"events-that-the-root-does-not-say", shortFile, format.BlockRoot, 2, 1, "the root says"},
	{"pages-of-lanes-that-are-none", pagesFile, format.BlockRoot, 0, 0x80, "a page of lanes from"},
	{"page-of-other-lanes", pagesFile, format.BlockPage, 1, 1, "it describes other"},
	{"page-of-other-times", shortFile, format.BlockRoot, 8, 1, "the root says from"},
	{"page-of-other-slices", shortFile, format.BlockPage, 0, 1, "it describes other slices"},
	{"slices-that-overlap", shortFile, format.BlockPage, 2, 0x10, "begins before the one before it ends"},
	{"kinds-out-of-order", describedFile, format.BlockKinds, 1, 0x10, "kinds are out of order"},
	{"field-with-unknown-flags", describedFile, format.BlockKinds, 1, 0x80, "bad flags or width"},
	{"peer-that-is-none", describedFile, format.BlockKinds, 19, 8, "is no peer"},
	{"location-of-no-lane", shortFile, format.BlockTotals, 84, 1, "is in lane"},
	{"location-of-another-id", shortFile, format.BlockTotals, 81, 1, "does not stand in the order of the definitions"},
	{"defined-location-that-is-not-there", shortFile, format.BlockTotals, 80, 1, "is defined and not there"},
	{"locations-that-have-no-page", lanesFile, format.BlockTotals, 14, 8, " pages of "},
	{"locations-of-other-ids", lanesFile, format.BlockLocations, 3, 2, "other locations than the root says"},
	{"totals-of-other-locations", lanesFile, format.BlockLocationTotals, 0, 1, "other locations than the root says"},
	{"auxiliary-stream-of-events", auxiliaryFile, format.BlockTotals, 18, 2, "has events"},
	{"places-of-other-definitions", shortFile, format.BlockDefinitions, 1, 1, "for place"},
	{"definitions-out-of-place", shortFile, format.BlockDefinitions, 1, 0x80, "out of place in the log"},
	{"kind-without-definitions", shortFile, format.BlockDefinitions, 3, 2, "a kind without records"},
	{"definitions-of-an-unknown-kind", shortFile, format.BlockDefinitions, 4, 1, "unknown kind"},
	{"definitions-of-other-ids", shortFile, format.BlockRoot, 75, 1, "other kinds or ids than the root says"},
	{"column-of-an-unknown-form", shortFile, format.BlockDefinitions, 30, 4, "numbers of form"},
	{"text-that-shares-more-than-there-is", shortFile, format.BlockDefinitions, 12, 1, "bytes with one of"},
	{"group-repeated-too-often", messagesFile, format.BlockDefinitions, 239, 1, "times a group in"},
	{"record-of-unknown-kind", auxiliaryFile, format.BlockAuxiliary, 3, 1, "unknown kind"},
	{"record-of-other-words", auxiliaryFile, format.BlockAuxiliary, 4, 2, "words do not make a"},
	{"text-outside-of-the-record", auxiliaryFile, format.BlockAuxiliary, 97, 0x20, "lies outside of the record"},
	{"events-among-auxiliary-records", auxiliaryFile, format.BlockAuxiliary, 0, 1, "events stand in slices"},
	{"shape-that-stands-twice", shortFile, format.BlockDictionary, 14, 0x40, "shape stands twice"},
	{"composite-without-edges", shortFile, format.BlockDictionary, 5, 4, "a composite without edges"},
	{"composite-of-one-shape", shortFile, format.BlockDictionary, 13, 0xff, "nothing but another one"},
	{"leaf-of-unknown-kind", shortFile, format.BlockDictionary, 6, 1, "unknown kind"},
	{"leaf-of-other-words", shortFile, format.BlockDictionary, 5, 2, "words do not make a"},
	{"leaf-with-a-value", auxiliaryFile, format.BlockDictionary, 11, 2, "value field is not zero"},
	{"hole-of-no-recursion", shortFile, format.BlockDictionary, 5, 8, "no recursion can have its hole"},
	{"demotion-of-a-field-that-is-not", shortFile, format.BlockDictionary, 5, 0x80, "cannot be a value"},
	{"rank-out-of-range", messagesFile, format.BlockDictionary, 5, 4, "bad rank of location"},
	{"known-word-coded-as-new", shortFile, format.BlockDictionary, 9, 2, "is known is coded as a new one"},
	{"guess-that-was-not-taken", shortFile, format.BlockDictionary, 12, 2, "was guessed already"},
	{"edge-to-a-later-shape", shortFile, format.BlockDictionary, 12, 1, "not before its parent"},
	{"edge-to-another-kind-of-shape", shortFile, format.BlockDictionary, 12, 4, "edge to a leaf in the place of"},
	{"page-that-begins-elsewhere", shortFile, format.BlockDictionary, 4, 1, "page begins with shape"},
	{"page-that-goes-on", shortFile, format.BlockDictionary, 5, 0x20, "does not end with its last shape"},
	{"prediction-that-says-nothing", tablesFile, format.BlockModel, 25, 0x80, "form 0x0 of a prediction"},
	{"prediction-of-no-column", tablesFile, format.BlockModel, 24, 2, "bad column of a prediction"},
	{"pairs-that-the-model-does-not-have", tablesFile, format.BlockModel, 5, 2, "pairs of contexts that the model does not have"},
	{"model-of-more-than-its-bytes", shortFile, format.BlockModel, 9, 0x40, "a model of"},
	{"divisions-that-are-none", shortFile, format.BlockModel, 4, 1, "no division"},
	{"roster-of-more-than-its-bytes", shortFile, format.BlockModel, 24, 0x80, "shares in"},
	{"roster-without-the-slice", shortFile, format.BlockModel, 22, 1, "the roster does not have slice"},
	{"shares-out-of-range", tablesFile, format.BlockModel, 43, 0x40, "are out of range"},
	{"token-of-no-shape", tablesFile, format.BlockModel, 37, 0x80, "a token of shape"},
	{"event-outside-of-its-slice", shortFile, format.BlockModel, 48, 0x20, "lie outside of the slice"},
	{"relative-rank-without-an-own-one", talkFile, format.BlockSlice, 40, 2, "has no rank in communicator"},
	{"paired-end-of-an-unknown-rank", messagesFile, format.BlockDefinitions, 223, 1, "paired ends of unknown ranks"},
	{"receive-without-its-send", messagesFile, format.BlockDefinitions, 224, 1, "has no send"},
	{"context-without-a-table", shortFile, format.BlockModel, 13, 0x80, "has no table"},
	{"table-without-a-context", messagesFile, format.BlockModel, 9, 4, "tables without context"},
	{"bin-out-of-range", shortFile, format.BlockModel, 4, 1, "is out of range"},
	{"bits-behind-the-last-number", shortFile, format.BlockModel, 10, 1, "bits behind the last number"},
	{"state-that-does-not-end", shortFile, format.BlockModel, 27, 1, "symbols do not end with their words"},
	{"state-that-does-not-begin", 2, format.BlockSlice, 29, 8, "a state out of range"},
	{"group-without-values", 1, format.BlockSlice, 14, 1, "bytes for no values of group"},
	{"offset-that-reaches-the-next-bin", tablesFile, format.BlockSlice, 31, 0x20, "offsets of context"},
	{"offsets-that-go-on", shortFile, format.BlockSlice, 13, 0x10, "offsets do not end with the block"},
	{"period-out-of-range", shortFile, format.BlockCalls, 4, 1, "a period of"},
	{"stack-out-of-range", shortFile, format.BlockCalls, 46, 0x10, "stack 4 in stack"},
	{"stack-that-no-call-has", messagesFile, format.BlockCalls, 5, 2, "a stack or key that no call has"},
	{"item-of-no-location", shortFile, format.BlockCalls, 52, 1, "an item of location"},
	{"item-in-another-cell", shortFile, format.BlockCalls, 61, 0x80, "does not belong into the cell"},
	{"cell-that-is-none", tablesFile, format.BlockCalls, 87, 0x10, "after cell"},
	{"base-that-is-none", tablesFile, format.BlockCalls, 43, 2, "a number does not fit its field"},
	{"call-without-its-item", shortFile, format.BlockDictionary, 8, 4, "no item for the call"},
	{"envelope-that-no-message-has", messagesFile, format.BlockMessages, 88, 0x10, "location or envelope that no item has"},
	{"envelopes-out-of-order", tablesFile, format.BlockMessages, 84, 0x10, "out of order or too large"},
	{"receiver-that-receives-nothing", tablesFile, format.BlockMessages, 5, 2, "which is a receiver"},
	{"unmatched-channels-out-of-order", messagesFile, format.BlockUnmatched, 2, 1, "is out of order"},
	{"unmatched-channel-of-an-unknown-kind", messagesFile, format.BlockUnmatched, 2, 2, "is of kind"},
	{"unmatched-end-of-no-location", messagesFile, format.BlockUnmatched, 68, 1, "is of location"},
	{"unmatched-end-of-no-channel", messagesFile, format.BlockUnmatched, 62, 1, "are of no channel"},
	{"step-that-is-none", tablesFile, format.BlockSummary, 0, 2, "vectors of"},
	{"mark-that-the-sums-do-not-have", tablesFile, format.BlockSummary, 4, 1, "has the mark"},
	{"sums-too-large", tablesFile, format.BlockSummary, 10, 1, "more than 63 bits"},
	{"table-of-an-unknown-form", tablesFile, format.BlockSummary, 7, 2, "form 2"},
	{"cells-out-of-range", tablesFile, format.BlockBins, 7, 0x80, "cells of 2^"},
	{"bins-without-a-mark", tablesFile, format.BlockBins, 9, 1, "not one line of each location has most"},
	{"bins-of-more-ticks-than-are-left", tablesFile, format.BlockBins, 3, 1, "ticks of"},
	{"bins-of-more-values", tablesFile, format.BlockBins, 2, 0x80, "more values than"},
	{"bins-of-fewer-values", tablesFile, format.BlockBins, 27, 2, "are missing"},
	{"hashes-of-no-node", hashesFile, format.BlockHashes, 1, 0x40, "the tree has no node"},
	{"hash-of-no-child", hashesFile, format.BlockHashes, 6, 2, "of a child"},
	{"hash-of-no-location", hashesFile, format.BlockHashes, 4, 0x40, "is not of lane"},
	{"hash-of-no-symbols", hashesFile, format.BlockHashes, 6, 0x80, "0 symbols with"},
	{"sum-that-is-none", hashesFile, format.BlockHashes, 15, 0x20, "symbols with sums"},
	{"postings-out-of-order", shortFile, format.BlockPostings, 3, 1, "is out of order"},
	{"postings-that-are-no-bitmap", shortFile, format.BlockPostings, 4, 0x80, "is no bitmap of"},
}

// rule finds a byte of the file that breaks a rule. It reports false if there is none.
func (f *faulty) rule(r *ruleFault) bool {
	i := f.first(r.kind)
	if i < 0 {
		return false
	}
	if r.at < len(f.blocks[i].Payload) && f.breaks(i, r.at, r.bits, r.says) {
		return true
	}
	for at := range f.blocks[i].Payload {
		for _, bits := range []byte{1, 2, 0x10, 0x80, 0xff, 4, 8, 0x20, 0x40, 0x7f} {
			if f.breaks(i, at, bits, r.says) {
				r.at, r.bits = at, bits
				return true
			}
		}
	}
	return false
}

// breaks reports whether the changed byte of a block leads to an error that says something.
func (f *faulty) breaks(block, at int, bits byte, says string) bool {
	_, err := readAll(f.edited(block, at, bits))
	return err != nil && strings.Contains(err.Error(), says)
}

// readAll reads all that a file holds.
func readAll(file []byte) (*Dump, error) {
	r, err := store.NewReader(context.Background(), bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		return nil, err
	}
	return dumpReader(r, file)
}

func (f *faulty) edited(block, at int, bits byte) []byte {
	payload := bytes.Clone(f.blocks[block].Payload)
	payload[at] ^= bits
	return f.with(block, payload)
}

// addRule adds the file: which class the fault is of is for the reader to say.
func (f *faulty) addRule(r *ruleFault) {
	file := f.edited(f.first(r.kind), r.at, r.bits)
	got, err := Read(file)
	class, ok := got.(Fault)
	if err == nil && !ok {
		err = errors.New("it is read")
	}
	if err != nil {
		f.err = errors.Join(f.err, fmt.Errorf("%s: %w", r.name, err))
	}
	f.vectors = append(f.vectors, Vector{"bad-" + r.name, file, class})
}
