package calltree

// Vary reports whether the peers of messages turned out to be values.
func (e *Events) Vary() bool { return e.steps.vary }

// HasMessages reports whether a message has a name.
func (f *Forest) HasMessages() bool { return len(f.ends) > 0 }
