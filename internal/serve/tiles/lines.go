package tiles

import (
	"github.com/pandotrace/pando/store"
)

// Lines are the messages of a window, or if they are more than can be drawn how many there are where.
type Lines struct {
	// From is the begin of the window, in ticks since the trace's first event.
	From  int64 `json:"from_ticks"`
	Count int64 `json:"count"`
	// Each list has an element for each message: the places of its ends among the rows, its times in ticks since the trace's first event, its
	// bytes and tag.
	Sender   []int    `json:"sender"`
	Receiver []int    `json:"receiver"`
	Send     []int64  `json:"send_ticks"`
	Receive  []int64  `json:"receive_ticks"`
	Bytes    []uint64 `json:"bytes"`
	// Cells of Pixel ticks say for each row that has some how many messages it sends and receives; a message of two cells counts in both.
	// They are there if there are more messages than the limit.
	Pixel int64     `json:"cell_ticks"`
	Cells []Traffic `json:"cells"`
}

// Traffic is how many messages some rows send and receive together, cell by cell: rows [Row, To).
type Traffic struct {
	Row      int      `json:"row"`
	To       int      `json:"to"`
	Sent     []uint64 `json:"sent"`
	Received []uint64 `json:"received"`
}

// Bounds of the number of cells of a window with very many messages: each cell is a sum of messages by pairs of locations, so that many locations have fewer cells.
const (
	leastTraffic   = 64
	trafficNumbers = 1 << 18
)

// TrafficCells returns the number of cells in which messages are counted, where a picture has some pixels.
func (v *Rows) TrafficCells(pixels int64) int64 {
	return min(pixels, max(leastTraffic, trafficNumbers/int64(max(1, len(v.Locations)))))
}

// Span are the rows [From, To), whose messages are counted together.
type Span struct{ From, To int }

// Lines returns the messages of a window if they are at most a limit, and else their numbers in cells of a picture that has some pixels: of each row, or of some spans of rows.
func (v *Rows) Lines(w *store.Window, first int64, limit int, pixels int64, spans []Span) (*Lines, error) {
	from, _ := w.Bounds()
	l := &Lines{From: from - first, Sender: []int{}, Receiver: []int{}, Send: []int64{}, Receive: []int64{}, Bytes: []uint64{}, Cells: []Traffic{}}
	s, err := w.Summary(store.SummaryMessages)
	if err != nil {
		return nil, err
	}
	for i := range s.Messages {
		l.Count += int64(s.Messages[i].Count)
	}
	if l.Count > int64(limit) {
		return l, v.traffic(l, w, v.TrafficCells(pixels), spans)
	}
	for m, err := range w.Messages() {
		if err != nil {
			return nil, err
		}
		l.Sender, l.Receiver = append(l.Sender, v.row[m.SendLocation]), append(l.Receiver, v.row[m.ReceiveLocation])
		l.Send, l.Receive = append(l.Send, m.SendTime-first), append(l.Receive, m.ReceiveTime-first)
		l.Bytes = append(l.Bytes, m.SendLength)
	}
	return l, nil
}

// traffic counts messages by span and cell, from exact sums of the cells' windows.
func (v *Rows) traffic(l *Lines, w *store.Window, cells int64, spans []Span) error {
	from, to := w.Bounds()
	l.Pixel = max(1, (to-from+cells-1)/cells)
	c := counter{length: cells, of: make([][]int, len(v.Locations)), cells: make([]Traffic, len(spans))}
	for i, s := range spans {
		c.cells[i] = Traffic{Row: s.From, To: s.To}
		for row := s.From; row < s.To; row++ {
			c.of[row] = append(c.of[row], i)
		}
	}
	for cell := range cells {
		begin := from + cell*l.Pixel
		if begin >= to {
			break
		}
		s, err := w.Within(begin, min(to, begin+l.Pixel)).Summary(store.SummaryMessages)
		if err != nil {
			return err
		}
		for i := range s.Messages {
			m := &s.Messages[i]
			c.add(v.row[m.SendLocation], cell, m.Count, 0)
			c.add(v.row[m.ReceiveLocation], cell, 0, m.Count)
		}
	}
	for i := range c.cells {
		if c.cells[i].Sent != nil {
			l.Cells = append(l.Cells, c.cells[i])
		}
	}
	return nil
}

// counter counts messages of spans.
type counter struct {
	length int64
	of     [][]int // by row: the spans that it is in
	cells  []Traffic
}

func (c *counter) add(row int, cell int64, sent, received uint64) {
	for _, i := range c.of[row] {
		t := &c.cells[i]
		if t.Sent == nil {
			t.Sent, t.Received = make([]uint64, c.length), make([]uint64, c.length)
		}
		t.Sent[cell] += sent
		t.Received[cell] += received
	}
}
