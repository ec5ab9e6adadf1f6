package shape_test

import (
	"fmt"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/trace"
)

// A loop of calls is one shape, however often it goes round; the view walks it without going round.
func ExampleView() {
	d := shape.NewDictionary(trace.Standard)
	event := func(k trace.Kind, region uint64) uint32 {
		leaf, err := d.Event(0, k, []uint64{region}, nil)
		if err != nil {
			panic(err)
		}
		return leaf
	}
	var folder shape.Folder
	folder.Reset(d)
	folder.Enter(event(trace.KindEnter, 1)) // main
	for range 1000 {
		folder.Enter(event(trace.KindEnter, 2)) // step
		folder.Leave(event(trace.KindLeave, 2), 0)
	}
	folder.Leave(event(trace.KindLeave, 1), 0)
	tokens := folder.Tokens()
	d.Prepare()

	v := d.View()
	fmt.Println(len(tokens), "token,", v.EventsOf(tokens), "events,", v.CallsOf(tokens), "calls")
	for _, e := range v.Edges(tokens[0].Shape) {
		if leaf, ok := v.Leaf(e.Shape); ok {
			fmt.Println(leaf.Kind, "of region", leaf.Key)
		} else {
			fmt.Println(e.Count, "times a shape of", v.Events(e.Shape), "events")
		}
	}
	// Output:
	// 1 token, 2002 events, 1001 calls
	// Enter of region 1
	// 1000 times a shape of 2 events
	// Leave of region 1
}
