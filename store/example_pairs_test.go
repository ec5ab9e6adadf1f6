package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// readsOfFiles returns the file of a trace with two reads of files, one of which is never completed.
func readsOfFiles(ctx context.Context) []byte {
	const handle, mode, flags, size = 0, 0, 0, 4096
	var file bytes.Buffer
	w, err := store.NewWriter(ctx, &file, &trace.Meta{Resolution: 1_000_000_000}, store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer w.Abort()
	b := &trace.Batch{Location: 0}
	b.Append(trace.KindIoOperationBegin, 100, handle, mode, flags, size, 1)
	b.Append(trace.KindIoOperationBegin, 200, handle, mode, flags, size, 2)
	b.Append(trace.KindIoOperationComplete, 900, handle, size, 1)
	if err := errors.Join(w.Define(define()...), w.Append(b), w.Close()); err != nil {
		log.Fatal(err)
	}
	return file.Bytes()
}

// What some events open and others close: here operations on files, each from its begin to its completion.
func ExampleWindow_Pairs() {
	ctx := context.Background()
	file := readsOfFiles(ctx)
	r, err := store.NewReader(ctx, bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for p, err := range r.All().Pairs(trace.PairIo) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("begun at", p.Open.Time, "until", p.Close.Time, "never completed:", p.IsOpen())
	}
	// Output:
	// begun at 100 until 900 never completed: false
	// begun at 200 until 900 never completed: true
}

// What is under way at a time is found without reading what lies before its slice, however long ago it began.
func ExampleWindow_OpenPairs() {
	ctx := context.Background()
	file := readsOfFiles(ctx)
	r, err := store.NewReader(ctx, bytes.NewReader(file), int64(len(file)), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	open, err := r.Window(150, 160).OpenPairs(trace.PairIo)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(open), "read is under way since", open[0].Open.Time)
	// Output: 1 read is under way since 100
}
