package vectors

import (
	"math"
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/index/tables"
	"github.com/pandotrace/pando/internal/model"
	"github.com/pandotrace/pando/trace"
)

// tableReader reads the blocks of a file that a reader may ignore: postings, summaries, bins and hashes.
type tableReader struct {
	file    []byte
	id      format.FileID
	root    *index.Root
	pages   []*index.Page
	entries []index.Entry
	lanes   []uint32 // by location
}

// readTables adds to a dump what the tables of a file say of a trace.
func (d *Dump) readTables(file []byte, m *model.Trace) error {
	t := tableReader{file: file, id: format.FileID(file[32:48])}
	err := t.directory()
	if err == nil {
		d.Postings, err = t.postings(m)
	}
	if err == nil {
		d.Summaries, err = t.nodes(format.BlockSummary, t.summary)
	}
	if err == nil {
		d.Bins, err = t.nodes(format.BlockBins, t.bins)
	}
	if err == nil {
		d.Hashes, err = t.nodes(format.BlockHashes, t.hashes)
	}
	return err
}

func (t *tableReader) directory() error {
	footer, err := format.ParseFooter(t.file[len(t.file)-format.FooterSize:], int64(len(t.file)))
	if err != nil {
		return err
	}
	b, err := t.payload(format.BlockRoot, footer.Root)
	if err != nil {
		return err
	}
	if t.root, err = index.ParseRoot(b); err != nil {
		return err
	}
	for i := range t.root.Pages {
		for part := range 1 + len(t.root.Pages[i].Lanes) {
			ref, _ := t.root.Pages[i].Page(part)
			if b, err = t.payload(format.BlockPage, ref); err != nil {
				return err
			}
			page, err := index.ParsePage(b)
			if err != nil {
				return err
			}
			if part > 0 { // its slices stand in the first page about them
				page.Slices = t.pages[len(t.pages)-1].Slices
			}
			t.pages, t.entries = append(t.pages, page), append(t.entries, page.Entries...)
		}
	}
	t.entries = append(t.entries, t.root.Entries...)
	for _, e := range t.root.Entries {
		switch e.Kind {
		case format.BlockLocations:
			b, err := t.payload(e.Kind, e.Ref)
			if err != nil {
				return err
			}
			page, err := index.ParseLocationPage(b)
			if err != nil {
				return err
			}
			t.lanes = append(t.lanes, page.Lanes...)
		case format.BlockTotals:
			if b, err = t.payload(e.Kind, e.Ref); err != nil {
				return err
			}
			totals, err := index.ReadTotals(b)
			if err != nil {
				return err
			}
			t.lanes = append(t.lanes, totals.Few.Lanes...)
		}
	}
	return err
}

// payload reads a block, and checks it.
func (t *tableReader) payload(kind format.BlockKind, ref format.Ref) ([]byte, error) {
	end := ref.Offset + uint64(ref.Length)
	if ref.Length < format.FrameSize || end < ref.Offset || end > uint64(len(t.file)) {
		return nil, format.Corruptf(kind.String(), -1, "%d bytes do not fit into the file", ref.Length)
	}
	b := t.file[ref.Offset:end]
	f, err := format.ParseFrame(b)
	if err != nil {
		return nil, err
	}
	if f.Kind != kind || f.CRC != ref.CRC || uint64(f.Stored)+format.FrameSize != uint64(ref.Length) {
		return nil, format.Corruptf(kind.String(), -1, "another block stands here")
	}
	if err := f.CheckPayload(b, &t.id); err != nil {
		return nil, err
	}
	return records.Decompress(b[format.FrameSize:], f.Codec, int(f.Raw))
}

// postings lists of each page, of all that its lists can be of, the slices, numbered from the page's first one.
func (t *tableReader) postings(m *model.Trace) ([]any, error) {
	all, about := []any{}, things(m)
	for _, page := range t.pages {
		for _, e := range page.Entries {
			if e.Kind != format.BlockPostings {
				continue
			}
			b, err := t.payload(e.Kind, e.Ref)
			if err != nil {
				return nil, err
			}
			p, err := index.ParsePostings(b, uint64(len(page.Slices)))
			if err != nil {
				return nil, err
			}
			lists := listsOf(p, page, about)
			if len(lists) != p.Len() || p.First != page.First || p.Lane != page.Lane {
				return nil, format.Corruptf("postings block", -1, "%d of %d lists are of something that occurs", len(lists), p.Len())
			}
			all = append(all, []any{p.First, p.Lane, lists})
		}
	}
	return all, nil
}

func listsOf(p *index.Postings, page *index.Page, about []index.Posting) []any {
	lists := []any{}
	for _, what := range about {
		found := []uint64{}
		for slice := page.First; ; slice++ {
			var ok bool
			if slice, ok = p.Next(index.Query{{what}}, slice); !ok {
				break
			}
			found = append(found, slice-page.First)
		}
		if len(found) > 0 {
			lists = append(lists, []any{what.What, what.ID, found})
		}
	}
	return lists
}

// things lists what postings can be of: locations, regions, kinds, calling contexts.
func things(m *model.Trace) []index.Posting {
	var ids [4][]uint64
	for i, l := range m.Locations {
		for _, e := range l.Events {
			ids[index.PostingLocation] = append(ids[index.PostingLocation], uint64(i))
			ids[index.PostingKind] = append(ids[index.PostingKind], uint64(e.Kind))
			switch e.Kind {
			case trace.KindEnter:
				ids[index.PostingRegion] = append(ids[index.PostingRegion], e.Words[0])
			case trace.KindCallingContextEnter:
				ids[index.PostingContext] = append(ids[index.PostingContext], e.Words[0])
			}
		}
	}
	var all []index.Posting
	for what, list := range ids {
		slices.Sort(list)
		for _, id := range slices.Compact(list) {
			all = append(all, index.Posting{What: index.PostingWhat(what), ID: id})
		}
	}
	return all
}

// nodes reads all blocks of a kind, in the order of level, node and lane.
func (t *tableReader) nodes(kind format.BlockKind, read func([]byte) (any, error)) ([]any, error) {
	entries := slices.DeleteFunc(slices.Clone(t.entries), func(e index.Entry) bool { return e.Kind != kind })
	slices.SortFunc(entries, func(a, b index.Entry) int {
		return slices.Compare([]uint64{uint64(a.Level), a.Number, uint64(a.Lane)}, []uint64{uint64(b.Level), b.Number, uint64(b.Lane)})
	})
	all := []any{}
	for _, e := range entries {
		b, err := t.payload(kind, e.Ref)
		if err != nil {
			return nil, err
		}
		x, err := read(b)
		if err != nil {
			return nil, err
		}
		all = append(all, x)
	}
	return all, nil
}

// children returns the number of a node's children.
func (t *tableReader) children(block string, n index.Node) (uint64, error) {
	tree := index.Tree{Fanout: t.root.Fanout}
	first := n.Index * tree.Width(n.Level)
	if n.Level < 1 || first >= t.root.Slices {
		return 0, format.Corruptf(block, -1, "the tree has no node %d of level %d", n.Index, n.Level)
	}
	last := min(first+tree.Width(n.Level), t.root.Slices) - 1
	return uint64(tree.Child(n.Level, n.Index, last)) + 1, nil
}

func (t *tableReader) summary(b []byte) (any, error) {
	s, err := tables.ReadSummary(b)
	if err != nil {
		return nil, err
	}
	children, err := t.children("summary block", s.Node)
	if err != nil {
		return nil, err
	}
	var parts [tables.Parts]any
	for part, section := range s.Sections {
		if len(section) == 0 {
			continue
		}
		if parts[part], err = tableOf(tables.Part(part), section, children); err != nil {
			return nil, err
		}
	}
	return []any{s.Node.Level, s.Node.Index, s.Lane, parts}, nil
}

// tableOf lists the vectors of a table: lines with the words of the key, and the sums or samples.
func tableOf(part tables.Part, b []byte, children uint64) (any, error) {
	if part == tables.Metrics {
		t, err := tables.ReadMetricTable(b, children)
		if err != nil {
			return nil, err
		}
		return vectorsOf(t.Step, t.Vectors, func(v int) (lines [][]any) {
			for _, r := range t.Vector(v, v+1) {
				integral := []any{r.Integral.Lo, uint64(r.Integral.Hi)}
				if r.Key.KeyType().IsFloat() {
					integral = []any{math.Float64bits(r.Float), 0}
				}
				lines = append(lines, append([]any{r.Key[0], r.Key[1], r.Key[2], r.Key[3], r.Count, r.First, r.Last, r.Value, r.Min, r.Max}, integral...))
			}
			return lines
		}), nil
	}
	t, err := tables.ReadTable(part, b, children)
	if err != nil {
		return nil, err
	}
	words, sums := 2+btoi(part == tables.Collectives), []int{4, 2, 3}[part]
	return vectorsOf(t.Step, t.Vectors, func(v int) (lines [][]any) {
		for _, r := range t.Vector(v, v+1) {
			var line []any
			for _, x := range slices.Concat(r.Key[:words], r.Sums[:sums]) {
				line = append(line, x)
			}
			lines = append(lines, line)
		}
		return lines
	}), nil
}

func vectorsOf(step uint64, n int, of func(int) [][]any) any {
	vectors := [][][]any{}
	for v := range n {
		vectors = append(vectors, append([][]any{}, of(v)...))
	}
	return map[string]any{"step": step, "vectors": vectors}
}

func (t *tableReader) bins(b []byte) (any, error) {
	bins, err := tables.ReadBins(b)
	if err != nil {
		return nil, err
	}
	lines, cells := []any{}, bins.Cells()
	for i, l := range bins.Lines {
		lines = append(lines, []any{l.Location, l.Region, bins.Ticks[i*cells : (i+1)*cells]})
	}
	return []any{bins.Node.Level, bins.Node.Index, bins.Lane, bins.Start, bins.End, bins.Shift, lines}, nil
}

func (t *tableReader) hashes(b []byte) (any, error) {
	h, err := index.ParseHashes(b)
	if err != nil {
		return nil, err
	}
	children, err := t.children("hashes block", h.Node)
	if err != nil {
		return nil, err
	}
	lines := []any{}
	for _, c := range h.List {
		if uint64(c.Child) >= children {
			return nil, format.Corruptf("hashes block", -1, "a hash of a child that is not there")
		}
		if l := int(c.Location); l >= len(t.lanes) || t.lanes[l] != h.Lane {
			return nil, format.Corruptf("hashes block", -1, "location %d is not of lane %d", l, h.Lane)
		}
		lines = append(lines, []any{c.Location, c.Child, c.Hash.N, c.Hash.Sums[0], c.Hash.Sums[1]})
	}
	return []any{h.Node.Level, h.Node.Index, h.Lane, lines}, nil
}
