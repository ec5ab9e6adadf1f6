package lost

import (
	"fmt"

	"github.com/pandotrace/pando/trace"
)

// Recorded is what it cost a program to record itself.
type Recorded struct {
	// EventNs is how long an enter or a leave takes on this machine, in nanoseconds, as measured after the run.
	EventNs float64 `json:"event_ns"`
	// Overhead is the largest part of its time that a location spent on enters and leaves, by that measure.
	Overhead  float64   `json:"overhead"`
	Processes []Process `json:"processes"`
	// GivenUp are sentences on what there was no memory for, none if there was for all.
	GivenUp []string `json:"given_up"`
	// CallsLeftOut is the number of calls that are in sums alone, null if it is not known.
	CallsLeftOut *uint64 `json:"calls_left_out"`
}

// Count takes the number of calls that were left out from the deviations of the trace, nil if they are not known. If nothing was given up it is 0.
func (r *Recorded) Count(deviations []trace.CallDeviation) {
	if deviations != nil || len(r.GivenUp) == 0 {
		n := Calls(deviations)
		r.CallsLeftOut = &n
	}
}

// Process is what it cost a process.
type Process struct {
	// Rank is null for a process that has none.
	Rank *int `json:"rank"`
	// Calls counts all calls, whether they are in the trace or not.
	Calls    uint64  `json:"calls"`
	Seconds  float64 `json:"seconds"`
	Overhead float64 `json:"overhead"`
}

// Line tells the cost. Of more than one process it is that of the one with the largest part.
func (r *Recorded) Line(f Format) string {
	calls, worst := uint64(0), &Process{}
	for i := range r.Processes {
		p := &r.Processes[i]
		if calls += p.Calls; p.Overhead >= worst.Overhead {
			worst = p
		}
	}
	of := ""
	if worst.Rank != nil {
		of = fmt.Sprintf(", most on rank %d", *worst.Rank)
	}
	return fmt.Sprintf("at most %.2g %% of the time of a location%s: %s calls, each event about %.3g ns on this machine", 100*r.Overhead, of, f.Grouped(calls), r.EventNs)
}
