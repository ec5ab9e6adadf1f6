package serve

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// summary is what a window adds up to. Times are in ticks, those of the window since the first event; sums may have more than 64 bits.
type summary struct {
	FromTicks      int64           `json:"from_ticks"`
	ToTicks        int64           `json:"to_ticks"`
	TicksPerSecond uint64          `json:"ticks_per_second"`
	Calls          []callSum       `json:"calls,omitempty"`
	Messages       []messageSum    `json:"messages,omitempty"`
	Collectives    []collectiveSum `json:"collectives,omitempty"`
	Metrics        []metricSum     `json:"metrics,omitempty"`
}

type callSum struct {
	Location     uint64    `json:"location"`
	LocationName *string   `json:"location_name"`
	Region       *uint64   `json:"region"`
	Name         *string   `json:"name"`
	Count        uint64    `json:"count"`
	Inclusive    trace.Sum `json:"inclusive_ticks"`
	Exclusive    trace.Sum `json:"exclusive_ticks"`
	Busy         trace.Sum `json:"busy_ticks"`
}

type messageSum struct {
	From  uint64    `json:"send_location"`
	To    uint64    `json:"receive_location"`
	Count uint64    `json:"count"`
	Bytes trace.Sum `json:"bytes"`
}

type collectiveSum struct {
	Location     uint64    `json:"location"`
	Operation    string    `json:"operation"`
	Communicator uint64    `json:"communicator"`
	Count        uint64    `json:"count"`
	Sent         trace.Sum `json:"sent_bytes"`
	Received     trace.Sum `json:"received_bytes"`
}

type metricSum struct {
	Location uint64   `json:"location"`
	Metric   uint64   `json:"metric"`
	Member   uint64   `json:"member"`
	Name     *string  `json:"name"`
	Count    uint64   `json:"count"`
	Min      *float64 `json:"min"`
	Max      *float64 `json:"max"`
	Last     *float64 `json:"last"`
}

var summaryParts = map[string]store.SummaryPart{
	"calls": store.SummaryCalls, "messages": store.SummaryMessages, "collectives": store.SummaryCollectives, "metrics": store.SummaryMetrics,
}

func (s *Server) summary(r *request) error {
	w, err := s.window(r)
	if err != nil {
		return err
	}
	var parts []store.SummaryPart
	for _, name := range r.query["part"] {
		p, ok := summaryParts[name]
		if !ok {
			return bad("part=%s: there are calls, messages, collectives and metrics", name)
		}
		if !slices.Contains(parts, p) {
			parts = append(parts, p)
		}
	}
	if err := r.needs(summaryWork(w)); err != nil {
		return err
	}
	found, err := w.Summary(parts...)
	if err != nil {
		return err
	}
	d, err := r.reader().Definitions()
	if err != nil {
		return err
	}
	first := r.reader().Info().First
	sum := summary{FromTicks: w.from - first, ToTicks: w.to - first, TicksPerSecond: r.reader().Meta().Resolution}
	sum.add(found, d)
	return r.json(&sum)
}

func (s *summary) add(found *trace.Summary, d *trace.Definitions) {
	for _, c := range found.Calls {
		line := callSum{
			Location: c.Location, LocationName: nameOf(d, trace.SpaceLocation, c.Location), Name: nameOf(d, trace.SpaceRegion, c.Region),
			Count: c.Count, Inclusive: c.Inclusive, Exclusive: c.Exclusive, Busy: c.Busy,
		}
		if c.Region != trace.Undefined {
			line.Region = &c.Region
		}
		s.Calls = append(s.Calls, line)
	}
	for _, m := range found.Messages {
		s.Messages = append(s.Messages, messageSum{m.SendLocation, m.ReceiveLocation, m.Count, m.Bytes})
	}
	for _, c := range found.Collectives {
		s.Collectives = append(s.Collectives, collectiveSum{
			c.Location, trace.EnumCollectiveOp.Format(c.Operation), c.Communicator, c.Count, c.Sent, c.Received,
		})
	}
	for _, m := range found.Metrics {
		s.Metrics = append(s.Metrics, newMetricSum(&m, d))
	}
}

func newMetricSum(m *trace.MetricTotals, d *trace.Definitions) metricSum {
	line := metricSum{Location: m.Location, Metric: m.Metric, Member: m.Member, Count: m.Count}
	if members := d.MetricMembers(m.Metric); m.Member < uint64(len(members)) {
		line.Name = nameOf(d, trace.SpaceMetricMember, members[m.Member])
	}
	for _, v := range []struct {
		to   **float64
		word uint64
	}{{&line.Min, m.Min}, {&line.Max, m.Max}, {&line.Last, m.Last}} {
		if f := m.Type.Float(v.word); !math.IsNaN(f) && !math.IsInf(f, 0) { // JSON has no such numbers
			*v.to = &f
		}
	}
	return line
}
