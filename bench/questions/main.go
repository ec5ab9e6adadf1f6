// Command questions asks random windows of a file and does nothing with the answers, so that what the engine takes can be measured
// with bench/pairs. Windows are the same ones in each run.
//
//	questions FILE windows|summaries|timelines NUMBER SHARE
//
// NUMBER is how many windows are asked; SHARE is their length, as a share of the trace's time.
package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"

	"github.com/pandotrace/pando/store"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "questions:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return errors.New("usage: questions FILE windows|summaries|timelines NUMBER SHARE")
	}
	number, err := strconv.Atoi(args[2])
	if err != nil {
		return err
	}
	share, err := strconv.ParseFloat(args[3], 64)
	if err != nil || share <= 0 || share > 1 {
		return fmt.Errorf("%s is not a share of the time", args[3])
	}
	ask, known := questions[args[1]]
	if !known {
		return fmt.Errorf("there is no question %s", args[1])
	}
	r, err := store.Open(context.Background(), args[0], store.ReadOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	first, length := r.Info().First, r.Info().Last+1-r.Info().First
	part := max(1, int64(share*float64(length)))
	random := rand.New(rand.NewPCG(1, 2))
	for range number {
		from := first + random.Int64N(length-part+1)
		if err := ask(r.Window(from, from+part)); err != nil {
			return err
		}
	}
	return nil
}

var questions = map[string]func(*store.Window) error{
	"windows": func(w *store.Window) error {
		for _, err := range w.Calls() {
			if err != nil {
				return err
			}
		}
		for _, err := range w.Messages() {
			if err != nil {
				return err
			}
		}
		return nil
	},
	"summaries": func(w *store.Window) error {
		_, err := w.Summary(store.SummaryCalls, store.SummaryMessages)
		return err
	},
	"timelines": func(w *store.Window) error {
		_, err := w.Timeline(2000)
		return err
	},
}
