package otf2

import (
	"os"
	"sync/atomic"
)

// mostOpen is the number of an archive's files that stay open between reads. An archive may have more files than a process may
// open; those beyond are opened for each read, which takes longer than the read itself.
const mostOpen = 64

// openFiles counts the files of an archive that stay open.
type openFiles struct{ n atomic.Int32 }

// file is one file that is read piece by piece.
type file struct {
	path  string
	open  *openFiles
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
	if f.open.n.Add(1) <= mostOpen {
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
