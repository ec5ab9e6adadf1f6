// Command zcold measures.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strconv"
	"syscall"

	"github.com/pandotrace/pando/store"
)

func cpu() float64 {
	var u syscall.Rusage
	syscall.Getrusage(0, &u)
	return 1e3*float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e3
}

func main() {
	path, what := os.Args[1], os.Args[2]
	reps := 1
	if len(os.Args) > 3 {
		reps, _ = strconv.Atoi(os.Args[3])
	}
	if c := os.Getenv("CPU"); c != "" {
		f, _ := os.Create(c)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	var cold, warm []float64
	n := 0
	for rep := 0; rep < reps; rep++ {
		for i := 1; i <= 7; i++ {
			runtime.GC()
			r, err := store.Open(context.Background(), path, store.ReadOptions{})
			if err != nil {
				panic(err)
			}
			inf := r.Info()
			span := inf.Last - inf.First
			width := int64(float64(span) * 10000 / float64(inf.Events))
			at := inf.First + int64(float64(span)*float64(i)/8.1)
			w := r.Window(at, at+width)
			ask := func() {
				n = 0
				switch what {
				case "summary":
					s, err := w.Summary()
					if err != nil {
						panic(err)
					}
					n = len(s.Calls) + len(s.Messages)
				case "callsum":
					s, err := w.Summary(store.SummaryCalls)
					if err != nil {
						panic(err)
					}
					n = len(s.Calls)
				case "calls":
					for b, err := range w.CallBatches() {
						if err != nil {
							panic(err)
						}
						_ = b
						n++
					}
				}
			}
			a := cpu()
			ask()
			b := cpu()
			ask()
			c := cpu()
			cold, warm = append(cold, b-a), append(warm, c-b)
			r.Close()
		}
	}
	sort.Float64s(cold)
	sort.Float64s(warm)
	fmt.Printf("%s %s: cold median %.1f min %.1f, warm %.2f ms, n %d\n", path, what, cold[len(cold)/2], cold[0], warm[len(warm)/2], n)
}
