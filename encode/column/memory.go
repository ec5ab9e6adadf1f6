package column

// Memory returns about how many bytes the model takes.
func (m *Model) Memory() int {
	const tableBytes, binBytes = 180, 70
	const classedBin = 33
	n := 2 * len(m.tableOf)
	for i := range m.tables {
		n += tableBytes + binBytes*len(m.tables[i].bins) + 1<<m.tables[i].log
	}
	for i := range m.divisions {
		c := m.classes[m.divisions[i].Context]
		n += classedBin*len(c.of) + len(c.slots) + 8*len(c.steps)
	}
	if m.code != nil {
		n += m.code.Memory()
	}
	return n
}
