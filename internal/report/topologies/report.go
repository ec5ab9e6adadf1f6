package topologies

import (
	"fmt"
	"io"
	"slices"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/topology"
)

// Report lists the topologies of a trace.
type Report struct {
	Trace      string     `json:"trace"`
	Topologies []Topology `json:"topologies"`
}

// Topology is a grid of the ranks of a communicator.
type Topology struct {
	ID         uint64      `json:"topology"`
	Name       string      `json:"name"`
	Dimensions []Dimension `json:"dimensions"`
	// Communicator is the id of the one whose ranks have coordinates.
	Communicator     uint64 `json:"communicator"`
	CommunicatorName string `json:"communicator_name"`
	// Ranks is the number of those that have coordinates.
	Ranks int `json:"ranks"`
	// Inferred says that no program has defined it.
	Inferred bool `json:"inferred"`

	title string
}

// Dimension is an axis.
type Dimension struct {
	Name     string `json:"name"`
	Size     int64  `json:"size"`
	Periodic bool   `json:"periodic"`
}

// List lists the topologies of a trace.
func List(t *report.Trace) (*Report, error) {
	defs, err := t.Definitions()
	if err != nil {
		return nil, err
	}
	r := &Report{Trace: t.Path, Topologies: []Topology{}}
	inferred, list := topology.Inferred(t.Meta().Properties), topology.Of(defs)
	for i := range list {
		one := topologyOf(defs, &list[i])
		one.Inferred = inferred[one.ID]
		r.Topologies = append(r.Topologies, one)
	}
	return r, nil
}

func topologyOf(defs *trace.Definitions, t *topology.Topology) Topology {
	o := Topology{ID: t.ID, Name: t.Name, Communicator: t.Communicator, Ranks: len(t.Members), title: t.Title(), Dimensions: []Dimension{}}
	if o.CommunicatorName = defs.Name(trace.SpaceComm, t.Communicator); o.CommunicatorName == "" {
		o.CommunicatorName = fmt.Sprintf("#%d", t.Communicator)
	}
	for i, d := range t.Dimensions {
		o.Dimensions = append(o.Dimensions, Dimension{t.DimensionName(i), d.Size, d.Periodic})
	}
	return o
}

// Write writes the list as text or JSON.
func (r *Report) Write(to io.Writer, f report.Format) error {
	if f == report.JSON {
		return report.WriteJSON(to, r)
	}
	w := &report.Printer{To: to}
	fmt.Fprintf(w, "%s: %s\n", report.Printable(r.Trace), report.Plural(len(r.Topologies), "topology", "topologies"))
	if len(r.Topologies) == 0 {
		return w.Err
	}
	fmt.Fprintln(w)
	var rows [][]string
	for i := range r.Topologies {
		t := &r.Topologies[i]
		from := "program"
		if t.Inferred {
			from = "inferred"
		}
		for d, axis := range t.Dimensions {
			row := []string{"", "", "", "", report.Cell(axis.Name), report.Grouped(uint64(max(axis.Size, 0))), "open"}
			if axis.Periodic {
				row[6] = "meet"
			}
			if d == 0 {
				copy(row, []string{report.Cell(t.title), from, report.Cell(t.CommunicatorName), report.Grouped(t.Ranks)})
			}
			rows = append(rows, row)
		}
	}
	report.WriteTable(w, []string{"topology", "by", "communicator", "ranks", "dimension", "size", "ends"}, []bool{false, false, false, true, false, true, false}, slices.Values(rows))
	return w.Err
}
