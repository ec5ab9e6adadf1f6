package align_test

import (
	"context"
	"fmt"
	"log"

	"github.com/pandotrace/pando/analysis/align"
	"github.com/pandotrace/pando/analysis/calltree"
)

// Two runs of a program: in the second, each of the ten iterations has one call less, and a function has another name.
func ExampleAligner_Cost() {
	f := calltree.NewForest()
	call := func(name string, inside ...calltree.Run) calltree.Node { return f.Add(f.Named(name), inside) }
	one := func(n calltree.Node) calltree.Run { return calltree.Run{Node: n, Count: 1} }

	work, send := call("work"), call("MPI_Send")
	a := call("main", calltree.Run{Node: call("iterate", one(work), one(send)), Count: 10}, one(call("finish")))
	b := call("main", calltree.Run{Node: call("iterate", one(work)), Count: 10}, one(call("end")))

	cost, err := align.New(f, align.Options{Level: align.Tree}).Cost(context.Background(), a, b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ten calls are lacking, one is renamed:", cost.High, cost.Proven())
	alike := align.SimilarityOf(cost, 2*f.Size(a), 2*f.Size(b))
	fmt.Printf("similarity %.2f\n", alike.Lowest)
	// Output:
	// ten calls are lacking, one is renamed: 46 true
	// similarity 0.66
}

// Segments say event by event what belongs together.
func ExampleAligner_Segments() {
	f := calltree.NewForest()
	work, send := f.Add(f.Named("work"), nil), f.Add(f.Named("MPI_Send"), nil)
	a := f.Add(f.Named("main"), []calltree.Run{{Node: work, Count: 3}})
	b := f.Add(f.Named("main"), []calltree.Run{{Node: work, Count: 2}, {Node: send, Count: 1}, {Node: work, Count: 1}})

	segments, err := align.New(f, align.Options{Level: align.Tree}).Segments(context.Background(), a, b, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range segments {
		fmt.Println(s.Events, "events,", s.State)
	}
	// Output:
	// 5 events, equal
	// 2 events, only b
	// 3 events, equal
}
