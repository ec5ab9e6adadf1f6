package trace

// Progress is called by long work now and then: done units of total are behind it. The work says what its units are (bytes, events,
// slices, rows). total is 0 while it is not known. One call ends before the next begins, and done never falls. A nil Progress hears nothing.
type Progress func(done, total int64)

// Report calls p, unless it is nil.
func (p Progress) Report(done, total int64) {
	if p != nil {
		p(done, total)
	}
}
