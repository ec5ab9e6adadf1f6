package main

import (
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

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
in all pictures: green for user code, red and orange for MPI, blue for OpenMP, yellow for I/O, violet for
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
	cmd.Flags().StringVar(&v.colour, "colour", "region", "colour by `WHAT`: region, or kind (user code, MPI, OpenMP, I/O …)")
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

// chart computes what the pictures show.
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
		chart.ColourByKind()
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
