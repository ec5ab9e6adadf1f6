package fold_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Two streams of an accelerator take turns: each is busy half of the time, and together they are always but at the end.
func ExampleRows() {
	src := tracegen.New(trace.Meta{Resolution: 1000})
	kernel, device := src.Region("kernel"), src.Process("gpu")
	for stream := range uint64(2) {
		b := src.Location(stream, device)
		for i := range int64(4) {
			from := 20*i + 10*int64(stream)
			b.Append(trace.KindEnter, from, kernel)
			b.Append(trace.KindLeave, from+10, kernel)
		}
	}
	src.Events(1).Append(trace.KindMeasurementOnOff, 100, 1)
	ctx := context.Background()
	var file bytes.Buffer
	w, err := store.NewWriter(ctx, &file, src.Meta(), store.Options{})
	if err == nil {
		err = store.Copy(ctx, w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		log.Fatal(err)
	}
	r, err := store.NewReader(ctx, bytes.NewReader(file.Bytes()), int64(file.Len()), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	groups := []fold.Group{{Name: "gpu", Locations: []uint64{0, 1}}}
	for row, err := range fold.Rows(ctx, r, r.Window(0, 100), groups, fold.Options{Select: fold.Idle, Pixels: 5}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, p := range row.Pixels {
			fmt.Printf("%d of 20 ticks busy, at most %d on one stream\n", p.Busy.Low, p.Busy.Most)
		}
	}
	// Output:
	// 20 of 20 ticks busy, at most 10 on one stream
	// 20 of 20 ticks busy, at most 10 on one stream
	// 20 of 20 ticks busy, at most 10 on one stream
	// 20 of 20 ticks busy, at most 10 on one stream
	// 0 of 20 ticks busy, at most 0 on one stream
}
