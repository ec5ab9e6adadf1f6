package draw

import (
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Line is a message from one row to another; times are in ticks.
type Line struct {
	From, To      int
	Sent, Arrived int64
	Bytes         uint64
}

// Sending is how many messages begin in the part [From, To) of the window, in ticks; in the first part also those that are under way.
type Sending struct {
	From, To int64
	Count    uint64
}

// Bounds of the messages that are drawn as lines, and of those that are looked at one by one; parts of the window for more.
const (
	maxLines     = 400
	maxCounted   = 20_000
	messageParts = 400
)

// mostCounted is maxCounted; tests change it.
var mostCounted uint64 = maxCounted

// AddMessages reads the messages of the window if they are few, counts them in parts of equal length if there are more, and if that would
// take long, in parts between slices, whose sums the file has.
func (c *Chart) AddMessages(w *store.Window) error {
	count, err := countMessages(w)
	if err != nil {
		return err
	}
	c.Messages = count
	switch {
	case count == 0:
		return nil
	case count > mostCounted:
		return c.addSums(w)
	case count > maxLines:
		return c.addCounts(w)
	}
	return c.addLines(w)
}

// countMessages returns how many messages a window has.
func countMessages(w *store.Window) (count uint64, err error) {
	s, err := w.Summary(store.SummaryMessages)
	if err != nil {
		return 0, err
	}
	for i := range s.Messages {
		count += s.Messages[i].Count
	}
	return count, nil
}

// addLines keeps each message between two rows.
func (c *Chart) addLines(w *store.Window) error {
	for m, err := range w.Messages() {
		if err != nil {
			return err
		}
		from, ok := c.row[m.SendLocation]
		if to, both := c.row[m.ReceiveLocation]; ok && both {
			c.Lines = append(c.Lines, Line{from, to, m.SendTime, m.ReceiveTime, m.SendLength})
		}
	}
	return nil
}

// addCounts counts the messages of parts of the window that are two pixels wide.
func (c *Chart) addCounts(w *store.Window) error {
	from, to := w.Bounds()
	raster := trace.Raster{From: from, Length: uint64(to - from), Pixels: max(c.timeline.Pixels/2, 1)}
	c.Sent = make([]Sending, raster.Pixels)
	for i := range c.Sent {
		c.Sent[i] = Sending{From: raster.Border(i), To: raster.Border(i + 1)}
	}
	for m, err := range w.Messages() {
		if err != nil {
			return err
		}
		c.Sent[raster.Find(max(min(m.SendTime, m.ReceiveTime), from))].Count++
	}
	return nil
}

// addSums takes differences of sums: the messages between the first cut and another one are those that begin before that one, and those
// that are under way at the first cut. The latter are as many for all.
func (c *Chart) addSums(w *store.Window) error {
	from, to := w.Bounds()
	cuts, err := w.Cuts(min(messageParts, c.timeline.Pixels))
	if err != nil {
		return err
	}
	if len(cuts) == 0 {
		c.Sent = []Sending{{from, to, c.Messages}}
		return nil
	}
	first, err := countMessages(w.Within(from, cuts[0]))
	if err != nil {
		return err
	}
	c.Sent = []Sending{{from, cuts[0], first}}
	before := uint64(0)
	borders := append(cuts[1:len(cuts):len(cuts)], to)
	for i, border := range borders {
		sum, err := countMessages(w.Within(cuts[0], border))
		if err != nil {
			return err
		}
		c.Sent = append(c.Sent, Sending{cuts[i], border, sum - min(before, sum)})
		before = sum
	}
	c.Sent[1].Count = c.Messages - min(first+before-c.Sent[1].Count, c.Messages)
	return nil
}
