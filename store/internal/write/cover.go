package write

// AddGap says that events of a location are missing before its next one, which does not come before time t.
func (w *Writer) AddGap(l *Location, t int64) {
	l.Location.AddGap(l.Events+uint64(l.Pending.Events), t)
}

// CoverUpTo says that no location will have an event before t.
func (w *Writer) CoverUpTo(t int64) error {
	for w.coverage() < t {
		if err := w.advance(w.first(), t); err != nil {
			return w.fail(err)
		}
	}
	return nil
}
