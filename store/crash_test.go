package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/faultfs"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
)

const crashName = "a.pando"

// writeOn writes the trace of a wreck on a file system, and gives up after an error.
func (v *wreck) writeOn(files *faultfs.FS) error {
	scaleFor(&v.options)
	src := tracegen.Random(v.seed, v.knobs)
	w, err := store.CreateOn(context.Background(), files, crashName, src.Meta(), v.options)
	if err != nil {
		return err
	}
	return copyInto(w, src)
}

// declared leaves out locations without definition: their ids stand only beside their first events, and in the totals.
func declared(k *tracegen.Knobs) { k.Undeclared = false }

// Wherever the power fails while a file is written, and whatever of the unsynced data is lost: the name that was asked for stands for the
// whole file or for nothing, and every event of every slice that reached the disk is recovered.
func TestPowerFails(t *testing.T) {
	t.Parallel()
	rounds := uint64(5)
	if os.Getenv("PANDO_SOAK") != "" {
		rounds = 300
	}
	for _, v := range wrecks(t, declared) {
		whole := faultfs.New(nil)
		if err := v.writeOn(whole); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(whole.Bytes(crashName), v.file) || whole.Operations() < 8 {
			t.Fatalf("another file is written, in %d operations", whole.Operations())
		}
		found := map[string]int{}
		for n := range whole.Operations() + 1 {
			files := faultfs.New(faultfs.PowerOff(n))
			err := v.writeOn(files)
			committed := n >= whole.Operations()-1 // all but the last sync, of the folder: not all systems can do that
			if committed != (err == nil) || err != nil && !errors.Is(err, faultfs.ErrOff) {
				t.Fatalf("after %d of %d operations: %v", n, whole.Operations(), err)
			}
			for seed := range rounds {
				left := files.Crash(rand.New(rand.NewPCG(seed, uint64(n))))
				t.Run(fmt.Sprintf("%d/%d", n, seed), func(t *testing.T) { found[v.afterCrash(t, left)]++ })
				if n == whole.Operations() && left[crashName] == nil {
					t.Error("a file that was closed is gone")
				}
			}
		}
		t.Logf("%d operations: %v", whole.Operations(), found)
		if found["whole"]*found["part"]*found["nothing"] == 0 {
			t.Errorf("%d operations: %v", whole.Operations(), found)
		}
	}
}

// afterCrash checks what a crash has left, and says what that is.
func (v *wreck) afterCrash(t *testing.T, left map[string][]byte) string {
	t.Helper()
	if file, ok := left[crashName]; ok {
		if !bytes.Equal(file, v.file) {
			t.Errorf("the name stands for %d of %d bytes", len(file), len(v.file))
		}
		return "whole"
	}
	file := left[crashName+".part"]
	if len(file) == 0 {
		return "nothing"
	}
	intact := func(b int) bool {
		from, to := v.blocks[b].Offset, v.blocks[b].Offset+v.blocks[b].Size()
		return to <= len(file) && bytes.Equal(file[from:to], v.file[from:to])
	}
	got, err := recoverFile(t, file)
	if err != nil {
		if !format.IsCorrupt(err) {
			t.Error(err)
		}
		for b := range v.blocks {
			if v.blocks[b].Kind == format.BlockSlice && intact(b) && bytes.Equal(file[:format.HeaderSize], v.file[:format.HeaderSize]) {
				t.Errorf("nothing is recovered, but block %d is there: %v", b, err)
			}
		}
		return "no file"
	}
	for b := range v.blocks {
		if k := v.blocks[b].Kind; (k == format.BlockMeta || k == format.BlockDefinitions) && !intact(b) {
			return "part" // which locations the events are of is not known
		}
	}
	v.check(t, got, intact)
	return "part"
}

// Where there is no space, or the disk fails once, writing says so, and nothing stays. Only where nothing is left to be done but to rename,
// the file stays where it is.
func TestNoSpace(t *testing.T) {
	v := wrecks(t)[0]
	whole := faultfs.New(nil)
	if err := v.writeOn(whole); err != nil {
		t.Fatal(err)
	}
	for n := range whole.Operations() - 1 { // not the sync of the folder, which not all systems can do
		for name, fault := range map[string]faultfs.Faulty{
			"full": func(operation int, what string) error {
				return failIf(operation >= n && what != "rename" && what != "remove", syscall.ENOSPC)
			},
			"once": func(operation int, _ string) error { return failIf(operation == n, syscall.EIO) },
		} {
			files := faultfs.New(fault)
			err := v.writeOn(files)
			if name == "full" && n == whole.Operations()-2 { // all that is left to be done is to rename
				if err != nil {
					t.Error(err)
				}
				continue
			}
			var path *fs.PathError
			if !errors.As(err, &path) || path.Path != crashName+".part" {
				t.Errorf("%s at operation %d: %v", name, n, err)
			}
			if name == "once" && n == whole.Operations()-2 { // all of it is there, but for its name
				if !bytes.Equal(files.Bytes(crashName+".part"), v.file) || !strings.Contains(err.Error(), "all of it is in") {
					t.Errorf("the file could not be renamed, and is lost: %v", err)
				}
				continue
			}
			if left := files.Names(); len(left) > 0 {
				t.Errorf("%s at operation %d: %v stay", name, n, left)
			}
		}
	}
}

func failIf(is bool, err error) error {
	if is {
		return err
	}
	return nil
}
