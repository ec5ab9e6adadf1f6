package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
)

// timelineVerb draws how the locations spent a window of time.
type timelineVerb struct {
	selection
	png, svg, title string
	colour          string
	width, pixels   int
	json, discard   bool
}

func newTimeline() *cobra.Command {
	v := &timelineVerb{}
	cmd := &cobra.Command{
		Use:   "timeline FILE",
		Short: "Draw how the locations spent a window of time",
		Long: `Draw how the locations spent a window of time, as PNG or SVG: a row for each location, and in each pixel
the share that each region has of its time; only the innermost call counts. A region has the same colour
in all pictures: green for computation, red and orange for MPI, blue for OpenMP, yellow for I/O, violet for
accelerators. Few messages are drawn as lines, many as a density.

--json prints the data: the window, its regions, and a row for each location with its cells
[pixel, region, ticks], where region is a place in the list of regions, from 0. What cells leave of a
pixel is time without a call.

A FILE that is there already is overwritten when the picture is complete.`,
		Example: `  pando timeline run.pando --png run.png
  pando timeline run.pando --svg detail.svg --from 40% --to +5ms --location 'MPI Rank ?'
  pando timeline run.pando --json --pixels 100`,
		Args: arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	v.addWindow(cmd)
	v.addLocations(cmd)
	v.addRegions(cmd)
	cmd.Flags().StringVar(&v.png, "png", "", "write a PNG picture to `FILE`")
	cmd.Flags().StringVar(&v.svg, "svg", "", "write an SVG picture to `FILE`")
	cmd.Flags().IntVar(&v.width, "width", 1600, "`PIXELS` of a picture from left to right")
	cmd.Flags().StringVar(&v.title, "title", "", "`TEXT` above a picture (default: the file's name)")
	cmd.Flags().StringVar(&v.colour, "colour", "region", "colour by `WHAT`: region, or kind (computation, MPI, OpenMP, I/O …)")
	cmd.Flags().IntVar(&v.pixels, "pixels", 1000, "divide the window into `N` parts, with --json")
	addDiscard(cmd, &v.discard, "FILE")
	addJSON(cmd, &v.json, "print the data as JSON; times are in ticks")
	return cmd
}

// check finds fault with flags.
func (v *timelineVerb) check() error {
	switch {
	case v.png == "" && v.svg == "" && !v.json:
		return usagef("where should the picture go? --png FILE, --svg FILE, or --json for its data")
	case v.json && (v.png != "" || v.svg != ""):
		return usagef("--json is about data, --png and --svg are about pictures: ask for one of them")
	case v.colour != "region" && v.colour != "kind":
		return usagef("--colour %s is neither region nor kind", v.colour)
	case v.pixels < 1 || v.pixels > store.MaxPixels:
		return usagef("--pixels %d is not between 1 and %d", v.pixels, store.MaxPixels)
	case v.width < draw.MinWidth || v.width > draw.MaxWidth:
		return usagef("--width %d is not between %d and %d", v.width, draw.MinWidth, draw.MaxWidth)
	}
	return nil
}

func (v *timelineVerb) run(out io.Writer, path string) error {
	if err := v.check(); err != nil {
		return err
	}
	f, window, err := v.open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if from, to := window.Bounds(); from == to {
		return usagef("the window is empty")
	}
	if v.json {
		return v.print(out, f, window)
	}
	return v.pictures(f, window)
}

// chart computes the content of the pictures.
func (v *timelineVerb) chart(f *report.Trace, window *store.Window) (*draw.Chart, error) {
	chart, err := draw.New(f.Reader, window, draw.Pixels(v.width))
	if err == nil {
		err = chart.AddMessages(window)
	}
	if err != nil {
		return nil, err
	}
	if len(chart.Rows) > draw.MaxRows {
		return nil, usagef("%d locations are too many for a picture: choose some with --location", len(chart.Rows))
	}
	if v.colour == "kind" {
		chart.ColourByActivity()
	}
	if chart.Title = v.title; v.title == "" {
		chart.Title = filepath.Base(f.Path)
	}
	return chart, nil
}

// print prints the data.
func (v *timelineVerb) print(out io.Writer, f *report.Trace, window *store.Window) error {
	chart, err := draw.New(f.Reader, window, v.pixels)
	if err != nil {
		return err
	}
	return report.WriteTimeline(out, f, chart)
}

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

// createPictures creates the files of the pictures that flags name.
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
