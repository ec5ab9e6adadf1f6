// Package timeline is the verb timeline, which draws how the locations spent a window of time.
package timeline

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/fold"
	"github.com/pandotrace/pando/cmd/pando/internal/analyses"
	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/folding"
	"github.com/pandotrace/pando/store"
)

// timelineVerb draws how the locations spent a window of time.
type timelineVerb struct {
	verb.Selection
	verb.Replacing
	outputs       []string
	format        string
	title, colour string
	fold, how     string
	order         verb.Order
	marks         analyses.Marks
	width, pixels int
	json          bool
	chosen        []outputs.Format // of the outputs
	opt           fold.Options
}

// formats are those of timelines.
var formats = []outputs.Format{
	verb.TextFormat, verb.PNGFormat, verb.SVGFormat, {Name: "json", Endings: []string{".json"}},
}

// New makes the verb.
func New() *cobra.Command {
	v := &timelineVerb{}
	cmd := &cobra.Command{
		Use:   "timeline FILE",
		Short: "Draw how the locations spent a window of time",
		Long: `Draw how the locations spent a window of time: a row for each location, and in each pixel the share
that each region has of its time; only the innermost call counts. A region has the same colour in all
pictures: teal and light blue for computation, red and orange for MPI, blue for OpenMP, yellow for I/O, violet for
accelerators. Few messages are drawn as lines, many as a density.

Without --output, the timeline is drawn in the terminal, with the region that has most of the time of each
place: in colours, or as letters if NO_COLOR is set, TERM is dumb, or the output is no terminal. Where there are more
locations than lines, neighbours share one.

-o NAME.png or NAME.svg writes a picture, -o NAME.json or --json the data: the window, its regions, and a row
for each location with its cells [pixel, region, ticks], where region is a place in the list of regions, from
0. What cells leave of a pixel is time without a call. -o may be given several times.

--fold makes one row of the locations of each process, node, device or cluster, or of all, as pando fold does.`,
		Example: `  pando timeline run.pando
  pando timeline run.pando -o run.png
  pando timeline run.pando -o detail.svg --from 40% --to +5ms --location 'MPI Rank ?'
  pando timeline run.pando --json --pixels 100
  pando timeline run.pando --order topology
  pando timeline run.pando --mark unusual -o run.png
  pando timeline run.pando --fold node -o nodes.png`,
		Args: verb.Arguments("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	v.AddRegions(cmd)
	cmd.Flags().StringArrayVarP(&v.outputs, "output", "o", nil, "write to `OUT`: NAME.png, NAME.svg, NAME.json, or - for standard output (help outputs)")
	verb.AddFormat(cmd, &v.format, verb.InFormat, formats)
	v.AddReplacing(cmd, "OUT")
	cmd.Flags().IntVar(&v.width, "width", 0, "`PIXELS` of a picture from left to right (default 1600), or characters of text")
	cmd.Flags().StringVar(&v.title, "title", "", "`TEXT` above a picture (default: the file's name)")
	cmd.Flags().StringVar(&v.colour, "colour", "region", "colour by `WHAT`: region, or kind (computation, MPI, OpenMP, I/O …)")
	cmd.Flags().IntVar(&v.pixels, "pixels", 1000, "divide the window into `N` parts, in JSON")
	cmd.Flags().BoolVar(&v.json, "json", false, "print the data as JSON; short for --format json")
	cmd.Flags().StringVar(&v.fold, "fold", "", "one row for each `WHAT`: "+outputs.Listed(folding.Bys()))
	cmd.Flags().StringVar(&v.how, "select", "", "`WHAT` a folded row shows of a pixel (default idle): "+outputs.Listed(fold.Selects()))
	verb.CompleteFixed(cmd, "colour", []string{"region", "kind"})
	v.order.Add(cmd)
	v.marks.Add(cmd)
	verb.CompleteFixed(cmd, "fold", folding.Bys())
	verb.CompleteFixed(cmd, "select", fold.Selects())
	for _, flag := range []string{"width", "title", "pixels"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
	verb.CompleteFiles(cmd)
	return cmd
}

// check finds fault with flags, and chooses the formats.
func (v *timelineVerb) check(out io.Writer) error {
	switch {
	case v.json && v.format != "" && v.format != "json":
		return verb.Usagef("--json is short for --format json, and not for --format %s", v.format)
	case v.colour != "region" && v.colour != "kind":
		return verb.Usagef("--colour %s is neither region nor kind", v.colour)
	case v.order.How+v.marks.What != "" && v.fold != "":
		return verb.Usagef("--order and --mark do not go with --fold")
	case v.how != "" && v.fold == "":
		return verb.Usagef("--select goes with --fold")
	case v.pixels < 1 || v.pixels > store.MaxPixels:
		return verb.Usagef("--pixels %d is not between 1 and %d", v.pixels, store.MaxPixels)
	}
	if v.json {
		v.format = "json"
	}
	var err error
	if v.opt, err = analyses.FoldOptions("fold", v.fold, v.how); err != nil {
		return err
	}
	v.opt.Pixels = v.pixels
	if v.outputs == nil {
		v.outputs = []string{outputs.Standard}
	}
	for i, path := range v.outputs {
		if path == "" {
			return verb.Usage(verb.ErrNoName)
		}
		if slices.Contains(v.outputs[:i], path) {
			return verb.Usagef("-o %s is given twice", path)
		}
		f, err := outputs.Choose("a timeline", path, v.format, formats)
		if err == nil && path == outputs.Standard {
			err = outputs.CheckShown(out, f)
		}
		if err != nil {
			return verb.Usage(err)
		}
		if v.chosen = append(v.chosen, f); v.isPicture(i) && v.width != 0 && (v.width < draw.MinWidth || v.width > draw.MaxWidth) {
			return verb.Usagef("--width %d is not between %d and %d", v.width, draw.MinWidth, draw.MaxWidth)
		}
	}
	if v.width < 0 || v.width > draw.MaxWidth {
		return verb.Usagef("--width %d is not between 1 and %d", v.width, draw.MaxWidth)
	}
	return nil
}

// isPicture reports whether an output is a picture of pixels or lines.
func (v *timelineVerb) isPicture(i int) bool {
	return v.chosen[i].Name == "png" || v.chosen[i].Name == "svg"
}

func (v *timelineVerb) run(out io.Writer, path string) error {
	if err := v.check(out); err != nil {
		return err
	}
	f, window, err := v.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if from, to := window.Bounds(); from == to {
		return verb.Usagef("the window is empty")
	}
	if err = v.order.Choose(f); err != nil {
		return err
	}
	if err = v.write(out, f, window); folding.IsUsage(err) {
		return verb.Usage(err)
	}
	return err
}

// chart computes the content of the pictures.
func (v *timelineVerb) chart(f *report.Trace, window *store.Window, width int) (*draw.Chart, error) {
	chart, err := draw.NewPicture(f.Reader, window, width, v.order.Places)
	if err != nil {
		return nil, err
	}
	v.dress(chart, f)
	return chart, nil
}

// dress gives a chart its title and its colours.
func (v *timelineVerb) dress(chart *draw.Chart, f *report.Trace) {
	if v.colour == "kind" {
		chart.ColourByActivity()
	}
	v.marks.On(chart)
	if chart.Title = v.title; v.title == "" {
		chart.Title = filepath.Base(f.Path)
	}
}

// print prints the data.
func (v *timelineVerb) print(out io.Writer, f *report.Trace, window *store.Window) error {
	chart, err := draw.New(f.Reader, window, v.pixels, v.order.Places)
	if err != nil {
		return err
	}
	return report.WriteTimeline(out, f, chart)
}

// text draws with characters for the place where they are shown.
func (v *timelineVerb) text(to io.Writer, place outputs.File, f *report.Trace, window *store.Window) error {
	var shown io.Writer
	if s, ok := place.(outputs.Shown); ok {
		shown = s.Writer
	}
	width, height := outputs.Size(shown)
	t := draw.NewTerminal(cmp.Or(v.width, width), height, outputs.Colours(shown))
	chart, err := draw.New(f.Reader, window, t.Pixels(), v.order.Places)
	if err != nil {
		return err
	}
	v.dress(chart, f)
	return chart.Terminal(to, t)
}

// output is a file for a timeline, and what is written to it.
type output struct {
	outputs.File
	content bytes.Buffer
}

// create creates the outputs.
func (v *timelineVerb) create(out io.Writer) (list []*output, err error) {
	for _, path := range v.outputs {
		file, err := verb.CreateOutput(out, path, v.Replacing)
		if err != nil {
			return nil, errors.Join(err, discard(list))
		}
		list = append(list, &output{File: file})
	}
	return list, nil
}

func discard(list []*output) (err error) {
	for _, o := range list {
		err = errors.Join(err, o.Discard())
	}
	return err
}

// write writes all outputs. Files are made before anything is drawn, and removed when the user interrupts.
func (v *timelineVerb) write(out io.Writer, f *report.Trace, window *store.Window) (err error) {
	ctx, stop := verb.Interruptible()
	defer stop()
	list, err := v.create(out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, discard(list)) }()
	if err := v.marks.Find(ctx, f, window); err != nil {
		return err
	}
	if err := v.drawAll(ctx, f, window.WithContext(ctx), list); err != nil {
		return err
	}
	for _, o := range list {
		if _, err := o.content.WriteTo(o); err != nil {
			return err
		}
		if err := o.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// drawAll draws all outputs into memory. Pictures share a chart.
func (v *timelineVerb) drawAll(ctx context.Context, f *report.Trace, window *store.Window, list []*output) (err error) {
	var chart *draw.Chart
	width := cmp.Or(v.width, verb.UsualPicture)
	for i, o := range list {
		if v.fold != "" {
			if err = v.folded(ctx, f, window, o, v.chosen[i]); err != nil {
				return err
			}
			continue
		}
		if v.isPicture(i) && chart == nil {
			if chart, err = v.chart(f, window, width); err != nil {
				return err
			}
		}
		switch v.chosen[i].Name {
		case "png":
			err = chart.PNG(&o.content, width)
		case "svg":
			err = chart.SVG(&o.content, width)
		case "json":
			err = v.print(o, f, window)
		default:
			err = v.text(&o.content, o.File, f, window)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// folded writes rows that stand for many locations.
func (v *timelineVerb) folded(ctx context.Context, f *report.Trace, window *store.Window, to *output, format outputs.Format) error {
	o := analyses.FoldedOutput{Format: format, Width: v.width, Title: v.title, ByKind: v.colour == "kind"}
	if s, ok := to.File.(outputs.Shown); ok {
		o.Shown = s.Writer
	}
	return o.Write(ctx, &to.content, &folding.Question{Trace: f, Window: window, By: v.fold, Options: v.opt})
}
