package tiles

import (
	"github.com/pandotrace/pando/store"
)

// Lines are the messages of a window, or if they are more than can be drawn how many there are where.
type Lines struct {
	// From is the begin of the window, in ticks since the trace's first event. Pixel is the length of a cell of Sent and Received.
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

// Traffic is how many messages a location sends and receives, cell by cell.
type Traffic struct {
	Row      int      `json:"row"`
	Sent     []uint64 `json:"sent"`
	Received []uint64 `json:"received"`
}

// trafficCells is the number of cells of a window with very many messages.
const trafficCells = 64

// Lines returns the messages of a window if they are at most a limit, and else their numbers.
func (v *Rows) Lines(w *store.Window, first int64, limit int) (*Lines, error) {
	from, to := w.Bounds()
	l := &Lines{From: from - first, Sender: []int{}, Receiver: []int{}, Send: []int64{}, Receive: []int64{}, Bytes: []uint64{}, Cells: []Traffic{}}
	s, err := w.Summary(store.SummaryMessages)
	if err != nil {
		return nil, err
	}
	for i := range s.Messages {
		l.Count += int64(s.Messages[i].Count)
	}
	if l.Count > int64(limit) {
		return l, v.traffic(l, w, from, to)
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

// traffic counts messages by row and cell, from exact sums of the cells' windows.
func (v *Rows) traffic(l *Lines, w *store.Window, from, to int64) error {
	l.Pixel = max(1, (to-from+trafficCells-1)/trafficCells)
	at := map[int]int{}
	row := func(location uint64) *Traffic {
		n := v.row[location]
		i, ok := at[n]
		if !ok {
			i = len(l.Cells)
			at[n] = i
			l.Cells = append(l.Cells, Traffic{n, make([]uint64, trafficCells), make([]uint64, trafficCells)})
		}
		return &l.Cells[i]
	}
	for cell := range int64(trafficCells) {
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
			row(m.SendLocation).Sent[cell] += m.Count
			row(m.ReceiveLocation).Received[cell] += m.Count
		}
	}
	return nil
}
