package waits_test

import (
	"context"
	"fmt"

	"github.com/pandotrace/pando/analysis/waits"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/internal/tracetest/stored"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Rank 1 waits for a message that rank 0 sends late.
func Example() {
	t := tracegen.New(trace.Meta{Resolution: 1000})
	send, receive := t.Region("MPI_Send"), t.Region("MPI_Recv")
	sender, receiver := t.Location(0, t.Process("rank 0")), t.Location(1, t.Process("rank 1"))
	t.CommLocations(0, 1)
	world := t.Comm(t.CommGroup(0, 1))
	sender.Append(trace.KindEnter, 70, send)
	sender.Append(trace.KindMpiSend, 72, 1, world, 0, 8)
	sender.Append(trace.KindLeave, 75, send)
	receiver.Append(trace.KindEnter, 10, receive)
	receiver.Append(trace.KindMpiRecv, 80, 0, world, 0, 8)
	receiver.Append(trace.KindLeave, 100, receive)

	r := stored.Source(failing{}, t, store.Options{})
	x, err := waits.Of(context.Background(), r, r.All(), waits.Options{
		Critical: true,
		EachWait: func(p *waits.Paths, w *waits.Wait) error {
			fmt.Printf("%s: location %d waits in %s for location %d from %d to %d\n", w.Kind, w.Location, p.Name(w.Path), w.Cause, w.Start, w.End)
			return nil
		},
		EachStretch: func(p *waits.Paths, s *waits.Stretch) error {
			fmt.Printf("from %d to %d on location %d in %q\n", s.Start, s.End, s.Location, p.Name(s.Path))
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(x.Critical.Ticks(), "ticks in", x.Critical.Steps, "steps")
	// Output:
	// late sender: location 1 waits in MPI_Recv for location 0 from 10 to 70
	// from 10 to 70 on location 0 in ""
	// from 70 to 100 on location 1 in "MPI_Recv"
	// 90 ticks in 2 steps
}

// failing is the test that an example has none of.
type failing struct{}

func (failing) Helper()        {}
func (failing) Fatal(a ...any) { panic(fmt.Sprint(a...)) }
