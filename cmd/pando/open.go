package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
)

// cacheBytes is the budget for decoded blocks of a file, in bytes. It is small, because a verb reads little, or all once.
const cacheBytes = 64 << 20

// openFile opens a Pando file. For a trace of another format, the error has the command that converts it.
func openFile(path string) (*store.Reader, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	}
	opt := store.ReadOptions{CacheBytes: cacheBytes}
	if remote.IsURL(path) {
		return remote.OpenReader(context.Background(), path, nil, opt)
	}
	r, err := store.Open(context.Background(), path, opt)
	if err == nil || !format.IsCorrupt(err) {
		return r, err
	}
	if name, ok := convert.Detect(path); ok && name != "Pando" {
		return nil, fmt.Errorf("%s: a trace of format %s; make a Pando file of it first: pando convert %s OUT", path, name, path)
	}
	return nil, err
}

// open opens a Pando file for answers about it.
func open(path string) (*report.Trace, error) {
	r, err := openFile(path)
	if err != nil {
		return nil, err
	}
	t, err := report.NewTrace(r, path)
	if err != nil {
		r.Close()
		return nil, err
	}
	return t, nil
}
