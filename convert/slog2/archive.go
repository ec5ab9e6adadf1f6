package slog2

import (
	"fmt"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// Options of an Archive; zero fields mean the default.
type Options struct {
	// Lenient lets files be opened whose writer died: the nodes that are there are read, without names of categories.
	Lenient bool
}

// source is embedded under a name that is not exported.
type source = mpe.Source

// Archive is a SLOG-2 file. It implements trace.Source. The properties named "slog2." in its Meta are those of the header.
type Archive struct {
	source
	*input
	meta       *trace.Meta
	log        mpe.Log
	categories []*category
	byIndex    numbers // categories
	maps       []lineMap
	lines      []*mpe.Line
	byLine     numbers // lines
	levels     [][]node
	pieces     []piece
	places     []mpe.Location
	locations  []location
	comms      *mpe.Communicators
	nesting    *mpe.Nesting
	overtaking map[int64]bool // arrows that are no messages because they overtake one
	cache      cache
	warnings   trace.Warnings
}

// location is a thread of a process.
type location struct {
	*mpe.Location
	first, last int32 // pieces that it has drawables in
	fit         *mpe.SecondsFit
	clock       *mpe.SecondsClock
	before      float64 // the time of the record before, in the survey
	sequencer   sequencer
}

// Open opens a file. It reads all of it, twice.
func Open(path string, opt Options) (*Archive, error) {
	in, err := openInput(path)
	if err != nil {
		return nil, err
	}
	return open(in, opt)
}

func open(in *input, opt Options) (*Archive, error) {
	a := &Archive{input: in, overtaking: map[int64]bool{}}
	h, err := in.header()
	if err != nil {
		return nil, err
	}
	a.meta = &trace.Meta{Format: "SLOG-2", Resolution: ticksPerSecond, Properties: h.properties()}
	nodes, err := a.readTables(h, opt)
	if err != nil {
		return nil, err
	}
	if err := in.scan(nodes, a.see); err != nil {
		return nil, err
	}
	a.levels = levels(nodes)
	a.locate()
	a.defineCargo()
	if err := survey(a); err != nil {
		return nil, err
	}
	a.define()
	a.source = mpe.NewSource("slog2", a.path, a.meta, &a.log, mpe.Contents{
		Locations: len(a.locations),
		Location:  func(i int) (*mpe.Location, *mpe.SecondsClock) { return a.locations[i].Location, a.locations[i].clock },
		Events:    func(i int) trace.Stream { return a.stream(i) },
	})
	return a, nil
}

// readTables reads categories, line maps and the directory.
func (a *Archive) readTables(h *header, opt Options) (nodes []node, err error) {
	if !h.directory.exists() && opt.Lenient {
		return a.findNodes(&a.warnings), nil
	}
	if !h.directory.exists() || !h.categories.exists() {
		return nil, mpe.Corrupt(a.path, 0, "the file was never finished: it has no directory")
	}
	categories, err := a.readCategories(h.categories)
	if err != nil {
		return nil, err
	}
	for _, c := range categories {
		if _, ok := a.byIndex.get(c.index); ok {
			a.warnings.Add("category defined twice", "index %d", c.index)
			continue
		}
		a.addCategory(c)
	}
	if h.lineMaps.exists() {
		if a.maps, err = a.readLineMaps(h.lineMaps); err != nil {
			return nil, err
		}
	}
	return a.readDirectory(h.directory)
}

// Bounds of what a file may hold.
const (
	maxCategories = 1 << 16
	maxLines      = 1 << 18
)

func (a *Archive) addCategory(c *category) int32 {
	i := int32(len(a.categories))
	a.categories = append(a.categories, c)
	a.byIndex.put(c.index, i)
	return i
}

// see takes in a drawable on the first way through the file.
func (a *Archive) see(d *drawable) error {
	i, ok := a.byIndex.get(d.category)
	if !ok {
		i = a.addCategory(&category{index: d.category, name: fmt.Sprintf("category %d", d.category), topology: -1})
	}
	a.judge(d, a.categories[i])
	for _, line := range []int32{d.line, d.endLine} {
		l, ok := a.byLine.get(line)
		if !ok {
			l = a.addLine(line)
		}
		a.lines[l].Records++
	}
	if len(a.categories) > maxCategories || len(a.lines) > maxLines {
		return mpe.Unsupported(a.path, d.at, "more than %d categories or %d lines", maxCategories, maxLines)
	}
	return nil
}

// judge warns of what is odd, and notes what the category is used for.
func (a *Archive) judge(d *drawable, c *category) {
	switch {
	case d.vertices == 0:
		a.warnings.Add("drawable without a place", "at byte %d", d.at)
		return
	case d.vertices > 2:
		a.warnings.Add("drawable of many parts", "%d of them at byte %d: the first and the last are kept", d.vertices, d.at)
	}
	switch kindOf(d, c) {
	case state:
		c.isState = true
	default:
		c.isMark = true
	}
}

// kindOf says what a drawable is: its vertices tell, and the category where it has two on one line.
func kindOf(d *drawable, c *category) uint8 {
	switch {
	case d.vertices < 2:
		return solo
	case d.line == d.endLine && c.topology != topologyArrow:
		return state
	}
	return arrow
}

func (a *Archive) addLine(number int32) int32 {
	i := int32(len(a.lines))
	a.lines = append(a.lines, &mpe.Line{Number: uint64(uint32(number)), Comm: -1, Rank: -1, Process: mpe.NoProcess})
	a.byLine.put(number, i)
	return i
}

// settle replaces the numbers of categories and lines by indices, and says what the drawable is. ok is false if the file
// changed.
func (a *Archive) settle(d *drawable) (ok bool) {
	category, known := a.byIndex.get(d.category)
	line, begins := a.byLine.get(d.line)
	endLine, ends := a.byLine.get(d.endLine)
	if !known || !begins || !ends {
		return false
	}
	d.kind = kindOf(d, a.categories[category])
	d.category, d.line, d.endLine = category, line, endLine
	if d.kind == state && d.end < d.start {
		d.start, d.end = d.end, d.start
	}
	return true
}

// Warnings lists what was found odd so far.
func (a *Archive) Warnings() []trace.Warning { return a.warnings.All() }

var _ trace.Source = (*Archive)(nil)
