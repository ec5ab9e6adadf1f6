package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// picture is a file for a picture, and the way to draw it.
type picture struct {
	file  pictureFile
	draw  func(chart *draw.Chart, w io.Writer, width int) error
	drawn bytes.Buffer
}

// pictureFile is what a picture is written to.
type pictureFile interface {
	io.Writer
	Commit() error
	Discard() error
}

// device is a device or pipe that a picture goes to. It has its name already.
type device struct{ *os.File }

// Commit implements pictureFile.
func (d device) Commit() error { return d.Close() }

// Discard implements pictureFile.
func (d device) Discard() error {
	_ = d.Close() // it may be closed
	return nil
}

// createPicture makes the file for a picture, and replaces what is there when it is complete.
func createPicture(path string, discard bool) (pictureFile, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return device{f}, err
	}
	return claim.Create(path, store.OutputOptions{Discard: discard})
}

// createPictures makes the files of the pictures that are asked for.
func (v *timelineVerb) createPictures() (list []*picture, err error) {
	for _, p := range []struct {
		path string
		draw func(chart *draw.Chart, w io.Writer, width int) error
	}{{v.png, (*draw.Chart).PNG}, {v.svg, (*draw.Chart).SVG}} {
		if p.path == "" {
			continue
		}
		file, err := createPicture(p.path, v.discard)
		if err != nil {
			return nil, errors.Join(err, discardPictures(list))
		}
		list = append(list, &picture{file: file, draw: p.draw})
	}
	return list, nil
}

func discardPictures(list []*picture) (err error) {
	for _, p := range list {
		err = errors.Join(err, p.file.Discard())
	}
	return err
}

// pictures draws pictures into files. The files are made before, and removed when the user interrupts.
func (v *timelineVerb) pictures(f *report.Trace, window *store.Window) (err error) {
	ctx, stop := interruptible()
	defer stop()
	list, err := v.createPictures()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, discardPictures(list)) }()
	if err := v.drawAll(ctx, f, window, list); err != nil {
		return err
	}
	for _, p := range list {
		if _, err := p.drawn.WriteTo(p.file); err != nil {
			return err
		}
		if err := p.file.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// drawAll draws pictures into memory.
func (v *timelineVerb) drawAll(ctx context.Context, f *report.Trace, window *store.Window, list []*picture) error {
	chart, err := v.chart(f, window.WithContext(ctx))
	for i := 0; err == nil && i < len(list); i++ {
		if err = list[i].draw(chart, &list[i].drawn, v.width); err == nil {
			err = ctx.Err()
		}
	}
	return err
}
