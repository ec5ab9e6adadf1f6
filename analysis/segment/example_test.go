package segment_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/pandotrace/pando/analysis/segment"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Three locations run ten steps that end at a barrier. One of them is late in step 6: the others wait, and only SOS times tell.
func ExampleFind() {
	ctx := context.Background()
	src := tracegen.New(trace.Meta{Resolution: 1_000_000})
	step, barrier, process := src.Region("step"), src.Region("MPI_Barrier"), src.Process("process")
	for i := range 3 {
		events := src.Location(uint64(i), process)
		now := int64(0)
		for n := range 10 {
			work, length := int64(100), int64(200)
			if n == 6 {
				length = 900
				if i == 1 {
					work = 800
				}
			}
			events.Append(trace.KindEnter, now, step)
			events.Append(trace.KindEnter, now+work, barrier)
			events.Append(trace.KindLeave, now+length, barrier)
			events.Append(trace.KindLeave, now+length, step)
			now += length
		}
	}
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
	defer r.Close()

	a, err := segment.Find(ctx, r, r.All(), segment.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("segments are calls of", a.Candidates[a.Chosen].Title())
	for _, f := range a.Judge() {
		fmt.Printf("location %d is late in segment %d: SOS time %d, usually %d\n", f.Level.Lines[f.Line].Place.Location, f.First, f.Own, f.Usual)
	}
	// Output:
	// segments are calls of step
	// location 1 is late in segment 6: SOS time 800, usually 100
}
