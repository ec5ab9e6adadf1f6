package slice

// Memory returns about how many bytes the statistics take.
func (t *Statistics) Memory() int64 {
	n := int(t.TokenStatistics.Memory()) + t.Values.Memory()
	n += 8*len(t.contexts.rows) + 4*len(t.contexts.table) + 8*len(t.contexts.slots) + 3*t.contexts.columns + 4*t.contexts.all
	n += 8*len(t.Pairs) + 16*len(t.Periods) + 64*len(t.Predictions) + t.Texts.Memory()
	return int64(n)
}

// Memory returns about how many bytes the statistics take.
func (t *TokenStatistics) Memory() int64 {
	n := t.Structure.Memory() + 2*len(t.Successors.of) + 4*len(t.Successors.shapes)
	for _, shares := range t.Roster.Slices {
		n += 24 + 32*len(shares)
	}
	return int64(n)
}

// Words returns how many words, attributes and times the events have.
func (e *Events) Words() int { return int(e.words) }

// Memory returns about how many bytes the events take, with their batches.
func (e *Events) Memory() int64 {
	const eventBytes, runBytes = 22, 400 // leaves, times, contexts; kinds and places in batches
	tokens := 0
	for i := range e.Runs {
		tokens += len(e.Runs[i].Tokens)
	}
	return int64(eventBytes*len(e.Leaves)+8*(e.total+e.Words()+tokens+2*e.contexts.all)+3*e.packed.Len()) + int64(runBytes*len(e.Runs))
}
