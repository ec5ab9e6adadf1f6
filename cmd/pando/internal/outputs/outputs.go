// Package outputs knows what the name of an output means: one rule for all verbs. "-" is standard output. The ending of another name chooses
// the format, or is refused with the verb that writes such files.
package outputs

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/vbauerster/mpb/v8/cwriter"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/trace"
)

// Standard is the name of standard input and of standard output.
const Standard = "-"

// Format is a format that a verb writes.
type Format struct {
	// Name is the value of --format.
	Name string
	// Endings are those of its files, the usual one first.
	Endings []string
	// Binary is true if it is nothing to be shown on a terminal.
	Binary bool
}

// Names lists the names of formats.
func Names(formats []Format) (list []string) {
	for _, f := range formats {
		list = append(list, f.Name)
	}
	return list
}

// Choose returns the format of an output. What writes it is a noun for errors ("a picture"), name the value of --format, "" without the flag.
// Without a path, and for standard output, the first format is the default.
func Choose(what, path, name string, formats []Format) (Format, error) {
	meant := formatOf(path, formats)
	switch {
	case name != "":
		return named(path, name, meant, formats)
	case meant != nil:
		return *meant, nil
	case path == "" || path == Standard:
		return formats[0], nil
	}
	return Format{}, fmt.Errorf("%s: %s is called %s%s", path, what, endings(formats), advice(path))
}

// named returns the format of a name.
func named(path, name string, meant *Format, formats []Format) (Format, error) {
	at := slices.IndexFunc(formats, func(f Format) bool { return strings.EqualFold(f.Name, name) })
	switch {
	case at < 0:
		names := Names(formats)
		return Format{}, fmt.Errorf("--format %s: it can be %s%s", name, Listed(names), trace.DidYouMean(trace.Near(name, slices.Values(names))))
	case meant != nil && !slices.ContainsFunc(formats[at].Endings, func(ending string) bool { return hasEnding(path, ending) }):
		return Format{}, fmt.Errorf("%s and --format %s contradict each other", path, formats[at].Name)
	}
	return formats[at], nil
}

// formatOf returns the format that the ending of a path means, nil if it means none.
func formatOf(path string, formats []Format) *Format {
	for i := range formats {
		if slices.ContainsFunc(formats[i].Endings, func(ending string) bool { return hasEnding(path, ending) }) {
			return &formats[i]
		}
	}
	return nil
}

// hasEnding reports whether a path has an ending, in whatever case, behind a name.
func hasEnding(path, ending string) bool {
	at := len(path) - len(ending)
	return at > 0 && strings.EqualFold(path[at:], ending)
}

// endings says what files are called.
func endings(formats []Format) string {
	var list []string
	for _, f := range formats {
		for _, ending := range f.Endings {
			list = append(list, "NAME"+ending)
		}
	}
	return Listed(list)
}

// Listed joins words: "a, b or c".
func Listed(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// others are files that other verbs write, or none: their endings, and what can be done.
var others = []struct {
	endings []string
	do      string
}{
	{[]string{".folded", ".pb.gz", ".speedscope.json", ".hatchet.json"}, "call paths are written by pando summary FILE --by callpath -o %s"},
	{[]string{".csv", ".parquet", ".arrow", ".arrows"}, "tables of a Pando file are written by pando export FILE -o %s, sums by pando summary FILE --format csv"},
	{[]string{".png", ".svg"}, "pictures of a Pando file are drawn by pando timeline FILE -o %s"},
	{[]string{".pando", ".otf2"}, "a trace is written by pando convert FILE %s"},
	{[]string{".json", ".json.gz"}, "trace events are written by pando convert FILE %s"},
	{[]string{".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".pdf", ".eps", ".html"}, "pictures are NAME.png or NAME.svg, see pando timeline"},
	{[]string{".pftrace", ".perfetto-trace", ".perfetto", ".ctrace"}, "Perfetto opens trace events: pando convert FILE NAME.json.gz"},
	{[]string{".xls", ".xlsx", ".ods", ".tsv"}, "spreadsheets open CSV: pando export FILE --tables TABLE -o NAME.csv"},
	{[]string{".feather", ".ipc"}, "that is Arrow: pando export FILE --tables TABLE -o NAME.arrow"},
	{[]string{".db", ".duckdb", ".sqlite"}, "databases read Parquet: pando export FILE --format parquet -o FOLDER"},
	{[]string{".otf", ".clog2", ".slog2"}, "this format can be read, and not written: pando help formats"},
	{[]string{".tar", ".tar.gz", ".tgz", ".tar.zst", ".zip"}, "nothing is packed: write NAME.otf2, and pack that"},
}

// advice says how files of another ending are made, behind a sentence about those of this verb.
func advice(path string) string {
	for _, o := range others {
		if slices.ContainsFunc(o.endings, func(ending string) bool { return hasEnding(path, ending) }) {
			do := o.do
			if strings.Contains(do, "%s") {
				do = fmt.Sprintf(do, path)
			}
			return "; " + do
		}
	}
	return "; --format NAME takes any name"
}

// CheckShown refuses to write a binary format to a terminal.
func CheckShown(to io.Writer, f Format) error {
	if f.Binary && Terminal(to) {
		return fmt.Errorf("a file of format %s is not written to a terminal: send it to a file or program (> FILE, | PROGRAM), or name one with -o", f.Name)
	}
	return nil
}

// Terminal reports whether a writer is a terminal.
func Terminal(to io.Writer) bool {
	f, ok := to.(*os.File)
	return ok && cwriter.IsTerminal(int(f.Fd()))
}

// Bounds of the width of a terminal that text is made for, and the width where there is none, in characters.
const (
	leastWidth = 40
	mostWidth  = 500
	usualWidth = 80
)

// Size returns the width and the height of the terminal that a writer is, in characters; the height is 0 if it is none.
func Size(to io.Writer) (width, height int) {
	f, ok := to.(*os.File)
	if !ok || !cwriter.IsTerminal(int(f.Fd())) {
		return usualWidth, 0
	}
	width, height, err := cwriter.GetSize(int(f.Fd()))
	if err != nil || width < 1 {
		return usualWidth, 0
	}
	return min(max(width, leastWidth), mostWidth), height
}

// Colours returns those that a writer shows: none where NO_COLOR is set (no-color.org), TERM is dumb, or there is no terminal; all of them where
// COLORTERM says so.
func Colours(to io.Writer) draw.Colours {
	switch term := os.Getenv("TERM"); {
	case os.Getenv("NO_COLOR") != "" || term == "dumb" || term == "" || !Terminal(to):
		return draw.NoColours
	case os.Getenv("COLORTERM") == "truecolor" || os.Getenv("COLORTERM") == "24bit" || strings.Contains(term, "direct"):
		return draw.TrueColours
	}
	return draw.Colours256
}
