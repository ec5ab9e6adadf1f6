package viewing

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestKept: a tile is made once while there is room, and again when it has gone; what is kept stays within its bytes.
func TestKept(t *testing.T) {
	k := Kept{Bytes: 10 * (1000 + tileBytes)}
	made := map[int64]int{}
	get := func(index int64) {
		t.Helper()
		b, err := k.tile(t.Context(), tileKey{index: index}, func() ([]byte, error) { made[index]++; return bytes.Repeat([]byte{byte(index)}, 1000), nil })
		if err != nil || len(b) != 1000 || b[0] != byte(index) {
			t.Fatalf("tile %d: %d bytes, %v", index, len(b), err)
		}
		if k.used > k.Bytes || len(k.tiles) != k.order.Len() {
			t.Fatalf("%d bytes, %d tiles, %d in order", k.used, len(k.tiles), k.order.Len())
		}
	}
	for index := range int64(10) {
		get(index)
	}
	get(0)
	get(10) // 1 goes: 0 was asked for since
	get(0)
	get(1)
	if made[0] != 1 || made[1] != 2 || made[10] != 1 {
		t.Errorf("made: %v", made)
	}
	if _, err := k.tile(t.Context(), tileKey{group: true, index: 5}, func() ([]byte, error) { return nil, errors.New("no") }); err == nil {
		t.Error("no error")
	}
	if _, err := k.tile(t.Context(), tileKey{group: true, index: 5}, func() ([]byte, error) { return make([]byte, 1<<20), nil }); err != nil || k.used > k.Bytes {
		t.Errorf("one that is larger than all: %v, %d bytes", err, k.used)
	}
}

// TestKeptAtOnce: many ask for the same tile at once, and the first ones fail. One success is all that is made.
func TestKeptAtOnce(t *testing.T) {
	k := Kept{Bytes: 1 << 20}
	var tried atomic.Int32
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			b, err := k.tile(t.Context(), tileKey{}, func() ([]byte, error) {
				if tried.Add(1) < 4 {
					return nil, errors.New("the request has ended")
				}
				return []byte("tile"), nil
			})
			if err == nil && string(b) != "tile" {
				t.Errorf("%q", b)
			}
		})
	}
	group.Wait()
	if tried.Load() != 4 {
		t.Errorf("made %d times", tried.Load())
	}
}

// TestKeptWaits: who waits for a tile stops when its own request ends, and the one that makes it goes on for others.
func TestKeptWaits(t *testing.T) {
	k := Kept{Bytes: 1 << 20}
	begun, end := make(chan struct{}), make(chan struct{})
	made := make(chan error, 1)
	go func() {
		_, err := k.tile(t.Context(), tileKey{}, func() ([]byte, error) { close(begun); <-end; return []byte("tile"), nil })
		made <- err
	}()
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	none := func() ([]byte, error) { return nil, errors.New("made by who should wait") }
	go func() {
		_, err := k.tile(ctx, tileKey{}, none)
		gone <- err
	}()
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone: %v", err)
	}
	close(end)
	if err := <-made; err != nil {
		t.Errorf("who makes it: %v", err)
	}
	if b, err := k.tile(t.Context(), tileKey{}, none); err != nil || string(b) != "tile" {
		t.Errorf("afterwards: %q, %v", b, err)
	}
}
