package viewing

import (
	"container/list"
	"context"
	"errors"
	"sync"

	"github.com/pandotrace/pando/internal/serve/tiles"
)

// Kept are tiles that were made, of all traces of a server, within some bytes: the one that was asked for least recently goes first. What two ask
// for at once is made once. The zero value keeps nothing.
type Kept struct {
	Bytes int64 // at most

	mu    sync.Mutex
	used  int64
	tiles map[tileKey]*list.Element
	order list.List // of *keptTile, the one asked for last in front
}

// tileKey is what a tile depends on.
type tileKey struct {
	state uint64 // of a file
	calls bool
	exact bool
	group bool
	tree  tiles.Tree // of groups
	of    uint32
	level int
	index int64
}

type keptTile struct {
	key   tileKey
	made  chan struct{} // closed when the tile is there, or making it has failed
	there bool          // guarded by the lock
	bytes []byte
	err   error
}

// tileBytes is about what a tile takes besides its bytes.
const tileBytes = 256

// tile returns a tile, which must not be changed. Who waits for a tile that another one failed to make, whose request may just have ended, makes it.
// Waiting ends with the context.
func (k *Kept) tile(ctx context.Context, key tileKey, how func() ([]byte, error)) ([]byte, error) {
	for {
		t, mine := k.take(key)
		if mine {
			return k.make(t, how)
		}
		select {
		case <-t.made:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if t.err == nil {
			return t.bytes, nil
		}
	}
}

var errUnmade = errors.New("a tile was not made")

func (k *Kept) make(t *keptTile, how func() ([]byte, error)) ([]byte, error) {
	t.err = errUnmade
	defer k.put(t)
	t.bytes, t.err = how()
	return t.bytes, t.err
}

// take returns the tile of a key, and whether the caller has to make it.
func (k *Kept) take(key tileKey) (t *keptTile, mine bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if e, ok := k.tiles[key]; ok {
		k.order.MoveToFront(e)
		return e.Value.(*keptTile), false
	}
	t = &keptTile{key: key, made: make(chan struct{})}
	if k.tiles == nil {
		k.tiles = map[tileKey]*list.Element{}
	}
	k.tiles[key] = k.order.PushFront(t)
	return t, true
}

// put takes up a tile that was made, or forgets one that was not, and then what there is no room for.
func (k *Kept) put(t *keptTile) {
	k.mu.Lock()
	defer k.mu.Unlock()
	defer close(t.made)
	if t.err != nil {
		k.order.Remove(k.tiles[t.key])
		delete(k.tiles, t.key)
		return
	}
	t.there = true
	k.used += int64(len(t.bytes)) + tileBytes
	for e := k.order.Back(); e != nil && k.used > k.Bytes; {
		old := e.Value.(*keptTile)
		before := e.Prev()
		if old.there { // others are being made
			k.used -= int64(len(old.bytes)) + tileBytes
			k.order.Remove(e)
			delete(k.tiles, old.key)
		}
		e = before
	}
}
