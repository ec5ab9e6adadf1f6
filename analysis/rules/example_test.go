package rules_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/pandotrace/pando/analysis/rules"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

// A rule on messages of a program of four ranks, kept in a file in memory.
func ExampleFind() {
	ctx, src := context.Background(), tracegen.Program(4, 10, 1)
	var file bytes.Buffer
	w, err := store.NewWriter(ctx, &file, src.Meta(), store.Options{})
	if err == nil {
		err = store.Copy(ctx, w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := store.NewReader(ctx, bytes.NewReader(file.Bytes()), int64(file.Len()), store.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rule, err := rules.Parse("warning up messages: send_rank != 0 || receive_rank != 1")
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := rules.Find(ctx, r, r.All(), []*rules.Rule{rule}, rules.Options{Limit: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range found.Counts {
		fmt.Println(c.Rule.Severity, c.Rule.Code(), "on location", c.Location, "broken", c.N, "times")
	}
	for _, v := range found.Findings[0].Values {
		fmt.Println(v.Column.Name, v.Int)
	}
	// Output:
	// warning up on location 0 broken 20 times
	// receive_rank 1
	// send_rank 0
}
