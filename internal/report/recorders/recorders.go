// Package recorders tells what the processes that record into a folder are doing.
package recorders

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/convert/recording/live"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
)

// Folder is what the processes of a folder are doing.
type Folder struct {
	Folder    string    `json:"folder"`
	Processes []Process `json:"processes"`
}

// Process is one of them.
type Process struct {
	// Rank is missing if the process has none.
	Rank *int   `json:"rank,omitempty"`
	PID  int    `json:"pid"`
	Host string `json:"host"`
	// State is "running", "paused", "closed", "died" or "elsewhere": on another host, of which nothing is known here.
	State string `json:"state"`
	// Waiting says that the process has not yet looked at a request; Asked is what it was asked for just now, and Done whether it has done it.
	Waiting bool   `json:"waiting"`
	Asked   string `json:"asked,omitempty"`
	Done    *bool  `json:"done,omitempty"`
	// Refused says why it could not be asked.
	Refused string `json:"refused,omitempty"`
	// Steerable says that the process heeds requests.
	Steerable bool `json:"steerable"`
	Locations int  `json:"locations"`
	// Calls are all calls that have ended, whether they are kept or not.
	Calls uint64 `json:"calls"`
	// Seconds are how long it has recorded; it says so from time to time.
	Seconds     float64 `json:"seconds"`
	BudgetBytes int64   `json:"budget_bytes"`
	UsedBytes   int64   `json:"used_bytes"`
	// GivenUp says what there was no memory for.
	GivenUp []string `json:"given_up"`
	// Filter has the rules in force, empty if there are none.
	Filter string `json:"filter"`
}

// Of tells of some processes of a folder.
func Of(folder string, list []*live.Process) *Folder {
	f := &Folder{Folder: folder, Processes: []Process{}}
	for _, p := range list {
		o := Process{PID: p.PID, Host: p.Host, State: string(p.State), Waiting: p.Waiting, Steerable: p.Steerable, Locations: p.Locations, Calls: p.Calls,
			Seconds: p.Wall.Seconds(), BudgetBytes: p.Budget, UsedBytes: p.Used, GivenUp: GivenUp(p.Meta), Filter: p.Status.Filter}
		if p.Rank >= 0 {
			o.Rank = &p.Rank
		}
		f.Processes = append(f.Processes, o)
	}
	return f
}

// Answer notes what became of asking a process: whether it has done so, or why it could not be asked.
func (p *Process) Answer(asked string, done bool, refused error) {
	if p.Asked = asked; refused != nil {
		p.Refused = refused.Error()
		return
	}
	p.Done = &done
}

// GivenUp lists what a recording has no memory for.
func GivenUp(m *trace.Meta) []string {
	list := []string{}
	if len(m.Loss.Calls()) > 0 {
		list = append(list, report.LeftOut(m)+" were left out: the profile has the calls")
	}
	for _, p := range m.Properties {
		switch name, _ := strings.CutPrefix(p.Name, "recording."); name {
		case p.Name, "program", "filter", "classes", "phases":
		case "left_out":
			list = append(list, p.Value+" were left out")
		case "left_out_partners":
			list = append(list, p.Value+" are left out, too")
		default:
			list = append(list, "the budget was used up; "+name+": "+p.Value)
		}
	}
	return list
}

// Write writes it as text or JSON.
func (f *Folder) Write(to io.Writer, format report.Format) error {
	if format == report.JSON {
		return report.WriteJSON(to, f)
	}
	w := &report.Printer{To: to}
	fmt.Fprintf(w, "%s: %s\n\n", report.Printable(f.Folder), report.Plural(len(f.Processes), "process", "processes"))
	heads := []string{"rank", "process", "state", "asked", "locations", "calls", "used", "budget", "filter"}
	var rows [][]string
	for i := range f.Processes {
		rows = append(rows, f.Processes[i].row())
	}
	report.WriteTable(w, heads, []bool{true, true, false, false, true, true, true, true, false}, slices.Values(rows))
	for i := range f.Processes {
		for _, what := range f.Processes[i].GivenUp {
			fmt.Fprintf(w, "%s: %s\n", f.Processes[i].rank(), report.Printable(what))
		}
	}
	return w.Err
}

func (p *Process) rank() string {
	if p.Rank == nil {
		return "-"
	}
	return strconv.Itoa(*p.Rank)
}

func (p *Process) row() []string {
	asked := p.Asked
	switch {
	case p.Refused != "":
		asked += ": not possible"
	case p.Waiting:
		asked += " with its next call"
	case p.Done != nil && *p.Done:
		asked += ": done"
	}
	return []string{p.rank(), strconv.Itoa(p.PID), p.State, strings.TrimSpace(asked), report.Grouped(p.Locations), report.Grouped(p.Calls), report.Size(p.UsedBytes), report.Size(p.BudgetBytes), report.Cell(p.Filter)}
}
