package column

// Memory returns about how many bytes the model takes.
func (m *Model) Memory() int {
	const tableBytes, binBytes = 180, 70
	n := 2 * len(m.tableOf)
	for i := range m.tables {
		n += tableBytes + binBytes*len(m.tables[i].bins) + 1<<m.tables[i].log
	}
	if m.code != nil {
		n += m.code.Memory()
	}
	return n
}
