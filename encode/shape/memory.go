package shape

// What decoded things take in memory is counted, so that a cache of them keeps to its budget whatever a file makes of few bytes.

// Memory returns about how many bytes the dictionary takes.
func (d *Dictionary) Memory() int64 {
	const shapeBytes, leafBytes = 100, 300 // with what is beside them: information, hashes, columns
	return int64(shapeBytes*len(d.shapes) + leafBytes*d.leaves.len() + 8*len(d.edges) + 8*d.parts)
}
