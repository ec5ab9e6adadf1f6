package read

import (
	"os"
	"sync/atomic"
)

// OpenFiles counts files that stay open between reads. An archive may have more files than a process may open; those beyond `most` are
// opened for each read, which takes longer than the read itself.
type OpenFiles struct {
	n    atomic.Int32
	Most int32
}

// leastOpen and mostOpen bound the number of files that stay open, whatever the limit of the process.
const leastOpen, mostOpen = 64, 1 << 16

// opened counts those of all archives. Half of the files that the process may open are for others.
var opened = OpenFiles{Most: int32(min(max(fileLimit()/2, leastOpen), mostOpen))}

// file is one file that is read piece by piece.
type file struct {
	path  string
	open  *OpenFiles
	stays *os.File // nil if it does not stay open
}

// readAt fills p from a position of the file.
func (f *file) readAt(p []byte, at int64) error {
	if f.stays != nil {
		_, err := f.stays.ReadAt(p, at)
		return err
	}
	o, err := os.Open(f.path)
	if err != nil {
		return err
	}
	if f.open.n.Add(1) <= f.open.Most {
		f.stays = o
	} else {
		f.open.n.Add(-1)
		defer o.Close()
	}
	_, err = o.ReadAt(p, at)
	return err
}

// close closes the file if it stayed open.
func (f *file) close() {
	if f.stays != nil {
		f.stays.Close()
		f.open.n.Add(-1)
		f.stays = nil
	}
}
