package serve

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/pandotrace/pando/store"
)

// growEvery is how long a file that grows is taken for unchanged.
const growEvery = time.Second

// growth is a file that is being written. The books of its states share it, so that each takes up only what is new.
type growth struct {
	books  int // guarded by the library's lock
	mu     sync.Mutex
	file   *os.File
	states *store.Growing // nil before it was opened
}

// goesOn returns the growth that the book of a later state of the same file shares, nil if there is none. The library is locked.
func (b *book) goesOn(now fs.FileInfo) *growth {
	if !b.opened || b.grows == nil || !os.SameFile(b.found, now) {
		return nil
	}
	b.grows.books++
	return b.grows
}

// openPart opens the latest state of a file that is being written.
func (b *book) openPart(root *os.Root, file string, cache *store.Cache) error {
	if b.grows == nil {
		b.grows = &growth{books: 1}
	}
	g := b.grows
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.look(root, file, cache); err != nil {
		return err
	}
	info, err := g.file.Stat()
	if err != nil {
		return err
	}
	b.looked, b.info, b.reader = time.Now(), info, g.states.Reader()
	return b.ready()
}

// look opens the file, or takes up what is new.
func (g *growth) look(root *os.Root, file string, cache *store.Cache) (err error) {
	if g.file == nil {
		if g.file, err = root.Open(file); err != nil {
			return err
		}
	}
	info, err := g.file.Stat()
	switch {
	case err != nil:
	case g.states == nil:
		g.states, err = store.NewGrowing(context.Background(), g.file, info.Size(), store.ReadOptions{Name: file, Cache: cache})
	default:
		_, err = g.states.RefreshTo(context.Background(), info.Size())
	}
	return err
}

// leave ends the use by one book; the last one closes the file. The library is locked.
func (g *growth) leave() (err error) {
	if g.books--; g.books > 0 {
		return nil
	}
	if g.states != nil {
		err = g.states.Close()
	}
	if g.file != nil {
		err = errors.Join(err, g.file.Close())
	}
	return err
}
