package vectors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// faults makes files with one fault each, of the first sound file that has what the fault needs. The shortest file comes first.
func faults() ([]Vector, error) {
	files, err := soundFiles()
	if err != nil {
		return nil, err
	}
	if err := breakRules(files); err != nil {
		return nil, err
	}
	for _, kind := range faultyKinds {
		i := slices.IndexFunc(files, func(f *faulty) bool {
			at := f.first(kind)
			return at >= 0 && len(f.blocks[at].Payload) > 1 // a kinds block may say nothing
		})
		if i < 0 {
			return nil, fmt.Errorf("no file has a %v", kind)
		}
		files[i].frame(kind)
		files[i].content(kind)
	}
	files[0].ends()
	files[0].frames()
	files[pagesFile].lanes()
	files[messagesFile].marks()
	files[messagesFile].entries()
	files[lanesFile].extensions(extended[6:]...)
	files[lanesFile].locations()
	if err := files[0].compressed(); err != nil {
		return nil, err
	}
	var all []Vector
	for _, f := range files {
		if f.err != nil {
			return nil, f.err
		}
		all = append(all, f.vectors...)
	}
	return all, nil
}

// soundFiles makes the files that faults are put into.
func soundFiles() (files []*faulty, err error) {
	plain := tracegen.Knobs{Processes: 2, Threads: 1, Length: 12, Regions: 2, Step: 100, Lattice: 10, Repeat: 3}
	auxiliary, talking, mismatched, idle := plain, plain, plain, plain
	idle.Threads, idle.IdleThreads = 2, true
	manyLanes := small
	manyLanes.LaneLocations, manyLanes.PageLocations = 1, 2
	auxiliary.Auxiliary = true
	talking.Messages, talking.Talk, talking.Length = 20, 0.8, 40
	mismatched.Messages, mismatched.Talk, mismatched.Mismatch, mismatched.Length = 20, 0.8, 0.1, 40
	for _, f := range []struct {
		src trace.Source
		opt store.Options
	}{
		{tracegen.Random(6, plain), small},
		{tracegen.Random(6, auxiliary), small},
		{tracegen.Random(6, mismatched), small},
		{tablesTrace(), tablesOptions["-of-wide-slices"]},
		{tracegen.Random(7, talking), small}, // this one and the rest: for rules that no file above has a byte for
		{tracegen.Random(8, talking), small},
		{tracegen.Random(9, talking), small},
		{tracegen.Random(10, talking), small},
		{tracegen.Random(6, idle), manyLanes},
		{namesTrace(), hashed},
		{tracegen.Ring(3, 3, 1), inPages},
		{pairsTrace(), small},
	} {
		file, err := newFaulty(f.src, f.opt)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	file := described(files[shortFile].file)
	return append(files, &faulty{file: file, blocks: damage.Blocks(file)}), nil
}

// breakRules makes a file for each of the ruleFaults.
func breakRules(files []*faulty) (missing error) {
	for _, r := range ruleFaults {
		order := append([]*faulty{files[r.file]}, files...)
		i := slices.IndexFunc(order, func(f *faulty) bool { return f.rule(&r) })
		if i < 0 {
			missing = errors.Join(missing, fmt.Errorf("%s: no byte of a %v leads to an error that says %q", r.name, r.kind, r.says))
			continue
		}
		order[i].addRule(&r)
	}
	return missing
}

func newFaulty(src trace.Source, opt store.Options) (*faulty, error) {
	file, err := File(src, opt)
	return &faulty{file: file, blocks: damage.Blocks(file)}, err
}

// faulty is a sound file and the faulty ones made of it.
type faulty struct {
	file    []byte
	blocks  []damage.Block
	vectors []Vector
	err     error
}

func (f *faulty) add(name, class string, file []byte) {
	got, err := Read(file)
	if err == nil && got != any(Fault{class}) {
		err = fmt.Errorf("is read as %.100v", got)
	}
	if err != nil && f.err == nil {
		f.err = fmt.Errorf("fault %s of class %s: %w", name, class, err)
	}
	f.vectors = append(f.vectors, Vector{"bad-" + name, file, Fault{class}})
}

// changed returns the file with a byte changed; negative places count from the end.
func (f *faulty) changed(at int, bits byte) []byte {
	if at < 0 {
		at += len(f.file)
	}
	b := bytes.Clone(f.file)
	b[at] ^= bits
	return b
}

// header returns the file with a changed header that has the right checksum.
func (f *faulty) header(at int, bits byte) []byte {
	b := f.changed(at, bits)
	sum := format.Checksum(b[:60])
	b[60], b[61], b[62], b[63] = byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24)
	return b
}

// footer returns the file with a changed footer that has the right checksum.
func (f *faulty) footer(at int, bits byte) []byte {
	return signFooter(f.file, at, bits)
}

// rootElsewhere returns the file with a footer that says of a sound block of another kind that it is the root.
func (f *faulty) rootElsewhere() []byte {
	file := bytes.Clone(f.file)
	meta := &f.blocks[f.first(format.BlockMeta)]
	foot := file[len(file)-format.FooterSize:]
	binary.LittleEndian.PutUint64(foot, uint64(meta.Offset))
	binary.LittleEndian.PutUint32(foot[48:], uint32(meta.Size()))
	copy(foot[52:56], file[meta.Offset+24:])
	binary.LittleEndian.PutUint32(foot[60:], format.Checksum(foot[:60]))
	return file
}

func (f *faulty) ends() {
	n := len(f.file)
	f.add("no-bytes", "magic", nil)
	f.add("magic", "magic", f.changed(1, 1))
	f.add("magic-without-eighth-bit", "magic", f.changed(0, 0x80))
	f.add("magic-with-line-end", "magic", f.changed(4, 7))
	f.add("text", "magic", []byte("no Pando file at all\n"))
	f.add("header-cut", "header", f.file[:40])
	f.add("header-checksum", "header", f.changed(60, 1))
	f.add("header-id", "header", f.changed(32, 1))
	f.add("header-reserved", "header", f.header(12, 1))
	f.add("header-reserved-end", "header", f.header(59, 1))
	f.add("version-0", "version", f.header(8, 1))
	f.add("version-257", "version", f.header(9, 1))
	f.add("feature", "feature", f.header(24, 1))
	f.add("feature-last", "feature", f.header(31, 0x80))
	f.add("header-alone", "footer", f.file[:format.HeaderSize])
	f.add("torn", "footer", f.file[:n/2])
	f.add("torn-by-a-byte", "footer", f.file[:n-1])
	f.add("without-footer", "footer", f.file[:n-format.FooterSize])
	f.add("byte-too-many", "footer", append(bytes.Clone(f.file), 0))
	f.add("footer-magic", "footer", f.changed(-1, 1))
	f.add("footer-checksum", "footer", f.changed(-12, 1))
	f.add("footer-id", "footer", f.footer(24, 1))
	f.add("footer-length", "footer", f.footer(40, 1))
	f.add("footer-feature", "feature", f.footer(16, 1))
	f.add("footer-without-feature", "footer", signHeader(f.file, 16, 1))
	f.add("footer-root-outside", "footer", f.footer(6, 1))
	f.add("footer-root-elsewhere", "block", f.rootElsewhere())
	f.add("footer-root-checksum", "block", f.footer(52, 1))
	f.extensions(extended[:6]...)
	f.losses()
	f.annotations()
	f.add("extension-of-fields", "feature", edited(described(f.file), func(b *damage.Block) {
		if b.Kind == format.BlockKinds {
			b.Payload = extendField(b.Payload, []uint64{3})
		}
	}))
	f.add("extension-of-entries", "feature", edited(f.file, func(b *damage.Block) {
		if b.Kind == format.BlockPage {
			b.Payload = extendEntry(b.Payload, []uint64{3})
		}
	}))
}

// extensions adds files with bad extensions of blocks of some kinds.
func (f *faulty) extensions(kinds ...format.BlockKind) {
	for _, kind := range kinds {
		f.add("extension-of-"+nameOf(kind), "feature", f.extended(kind, 1))
		f.add("extension-out-of-order-of-"+nameOf(kind), "content", f.extended(kind, 2, 2))
	}
}

// extended returns the file with extensions of the first block of a kind.
func (f *faulty) extended(kind format.BlockKind, tags ...uint64) []byte {
	i := f.first(kind)
	return f.with(i, append(bytes.Clone(f.blocks[i].Payload), extensions(tags)...))
}

// lanes adds a file with a page that lists a block of another page's lane.
func (f *faulty) lanes() {
	f.add("block-in-a-page-of-other-lanes", "content", edited(f.file, func(b *damage.Block) {
		if page, err := index.ParsePage(b.Payload); err == nil && b.Kind == format.BlockPage && page.Lane > 0 {
			page.Entries[0].Lane = 0
			b.Payload = page.Append(nil)
		}
	}))
}

// entries adds files that list blocks where no reader looks for them.
func (f *faulty) entries() {
	f.add("block-in-a-page-of-other-slices", "content", edited(f.file, func(b *damage.Block) {
		page, err := index.ParsePage(b.Payload)
		if err != nil || b.Kind != format.BlockPage {
			return
		}
		marks := slices.IndexFunc(page.Entries, func(e index.Entry) bool { return e.Kind == format.BlockMarks })
		page.Entries[marks].Number += 100
		b.Payload = page.Append(nil)
	}))
	f.add("low-node-in-the-root", "content", edited(f.file, func(b *damage.Block) {
		if b.Kind != format.BlockRoot {
			return
		}
		root, err := index.ParseRoot(b.Payload)
		if err != nil {
			panic(err) // the file is one that was just written
		}
		root.Entries = append(root.Entries, index.Entry{Kind: format.BlockCalls, Level: 1, Ref: root.Pages[0].Ref})
		b.Payload = root.Append(nil)
	}))
}

// locations adds files of which locations or their pages are wrong, in more than one byte.
func (f *faulty) locations() {
	totals := func(change func(p *index.LocationTotalsPage)) []byte {
		i := f.first(format.BlockLocationTotals)
		p, err := index.ParseLocationTotals(f.blocks[i].Payload)
		if err != nil {
			panic(err) // the file is one that was just written
		}
		change(p)
		return f.with(i, p.Append(nil))
	}
	f.add("events-that-are-not-there", "content", totals(func(p *index.LocationTotalsPage) { p.Totals[0].Events++; p.Totals[1].Events-- }))
	f.add("location-of-too-many-ticks", "content", totals(func(p *index.LocationTotalsPage) { p.Totals[0].Last = p.Totals[0].First - 1 }))
	f.add("pages-of-locations-out-of-order", "content", edited(f.file, func(b *damage.Block) {
		if b.Kind != format.BlockRoot {
			return
		}
		root, err := index.ParseRoot(b.Payload)
		if err != nil {
			panic(err)
		}
		first := slices.IndexFunc(root.Entries, func(e index.Entry) bool { return e.Kind == format.BlockLocations })
		pages := root.Entries[first : first+2]
		pages[0].Ref, pages[1].Ref = pages[1].Ref, pages[0].Ref
		b.Payload = root.Append(nil)
	}))
	f.add("idle-location-of-another-lane", "content", edited(f.file, func(b *damage.Block) {
		switch page, err := index.ParseLocationPage(b.Payload); {
		case b.Kind == format.BlockRoot:
			root, err := index.ParseRoot(b.Payload)
			if err != nil {
				panic(err)
			}
			root.Ranges[1].FirstLane, root.Ranges[1].LastLane = 0, 0
			b.Payload = root.Append(nil)
		case b.Kind == format.BlockLocations && err == nil && page.First > 0:
			page.Lanes[0] = 0 // one that has no events
			b.Payload = page.Append(nil)
		}
	}))
	f.add("too-many-locations-without-pages", "content", edited(f.file, func(b *damage.Block) {
		if b.Kind != format.BlockTotals {
			return
		}
		t, err := index.ReadTotals(b.Payload)
		if err != nil {
			panic(err)
		}
		t.Locations, t.PageLocations = index.PageLocations+1, 0
		t.Few.IDs, t.Few.Lanes = make([]uint64, t.Locations), make([]uint32, t.Locations)
		t.FewTotals.Totals = make([]index.LocationTotals, t.Locations)
		b.Payload = t.Append(nil)
	}))
}

// faultyKinds are the kinds of blocks that reading everything takes: all.
var faultyKinds = []format.BlockKind{
	format.BlockRoot, format.BlockPage, format.BlockMeta, format.BlockKinds, format.BlockTotals, format.BlockLocations, format.BlockLocationTotals, format.BlockDefinitions, format.BlockAuxiliary,
	format.BlockDictionary, format.BlockModel, format.BlockMarks, format.BlockSlice, format.BlockCalls, format.BlockMessages, format.BlockUnmatched,
	format.BlockPostings, format.BlockSummary, format.BlockBins, format.BlockHashes, format.BlockPairs,
}

func nameOf(k format.BlockKind) string {
	return strings.ReplaceAll(strings.TrimSuffix(k.String(), " block"), " ", "-")
}

// first returns the number of the first block of a kind.
func (f *faulty) first(kind format.BlockKind) int {
	for i := range f.blocks {
		if f.blocks[i].Kind == kind {
			return i
		}
	}
	return -1
}

// frame damages a block of a kind so that its checksums, or its codec, tell.
func (f *faulty) frame(kind format.BlockKind) {
	b := &f.blocks[f.first(kind)]
	name := nameOf(kind)
	f.add(name+"-sync", "block", f.changed(b.Offset, 1))
	f.add(name+"-payload", "block", f.changed(b.Offset+format.FrameSize+len(b.Payload)/2, 1))
	codec := bytes.Clone(f.file)
	codec[b.Offset+5] = 9
	f.add(name+"-codec", "codec", damage.Sign(codec))
}

// frames damages the fields of a frame header.
func (f *faulty) frames() {
	slice := &f.blocks[f.first(format.BlockSlice)]
	beyond := append(bytes.Repeat([]byte{0xff}, 9), 2)
	f.add("integer-over-64-bits", "content", f.with(f.first(format.BlockSlice), append(beyond, slice.Payload[1:]...)))
	kind := append([]damage.Block(nil), f.blocks...)
	kind[f.first(format.BlockPostings)].Kind = format.BlockUnmatched
	f.add("directory-of-another-kind", "block", damage.Join(f.file, kind))
	f.add("frame-length", "block", f.changed(slice.Offset+8, 1))
	f.add("frame-reserved", "block", f.changed(slice.Offset+6, 1))
	f.add("frame-ordinal", "block", f.changed(slice.Offset+16, 1))
	raw := bytes.Clone(f.file)
	frame := slice.Frame
	frame.Raw++
	copy(raw[slice.Offset:], format.AppendFrame(nil, &frame, slice.Payload, (*format.FileID)(f.file[32:48])))
	f.add("frame-of-another-file", "block", raw)
}

// compressed adds files of which a block cannot be decompressed.
func (f *faulty) compressed() error {
	file, err := File(tracegen.Ring(3, 6, 1), small)
	if err != nil {
		return err
	}
	z := &faulty{file: file, blocks: damage.Blocks(file)}
	i := z.first(format.BlockDefinitions)
	b := &z.blocks[i]
	b.Raw = uint32(len(b.Payload))
	b.Payload, b.Codec = records.Compress(b.Payload)
	if b.Codec != format.CodecZstd {
		return errors.New("definitions are not compressed")
	}
	payload := bytes.Clone(b.Payload)
	payload[0] ^= 1
	f.add("zstd-magic", "codec", z.with(i, payload))
	f.add("zstd-cut", "codec", z.with(i, b.Payload[:len(payload)/2]))
	b.Raw++
	f.add("zstd-length", "codec", z.with(i, b.Payload))
	b.Codec = format.CodecNone
	f.add("zstd-not-said", "content", z.with(i, b.Payload))
	return nil
}

// content makes files of which the payload of one block of a kind is wrong, but all checksums hold.
func (f *faulty) content(kind format.BlockKind) {
	i := f.first(kind)
	name, payload := nameOf(kind), f.blocks[i].Payload
	for _, wrong := range []struct {
		fault   string
		payload []byte
	}{
		{"-with-a-byte-more", append(bytes.Clone(payload), 0)},
		{"-with-a-byte-less", payload[:len(payload)-1]},
		{"-empty", nil},
	} {
		f.addContent(name+wrong.fault, f.with(i, wrong.payload))
	}
	f.long(name, i)
	for n := range 4 { // bytes here and there
		at := (2*n + 1) * len(payload) / 8
		changed := bytes.Clone(payload)
		changed[at] ^= 0xff
		f.addContent(fmt.Sprintf("%s-byte-%d", name, at), f.with(i, changed))
	}
}

// addContent adds a file if its content is refused: not every other byte is a fault.
func (f *faulty) addContent(name string, file []byte) {
	if got, err := Read(file); err == nil && got == any(Fault{"content"}) {
		f.add(name, "content", file)
	}
}

// long writes the first integer of a block in more bytes than needed.
func (f *faulty) long(name string, i int) {
	p := f.blocks[i].Payload
	if len(p) == 0 || p[0] >= 0x80 {
		return
	}
	f.addContent(name+longInteger, f.with(i, append([]byte{p[0] | 0x80, 0}, p[1:]...)))
}

// with returns the file with another payload of a block, and all checksums right.
func (f *faulty) with(i int, payload []byte) []byte {
	blocks := append([]damage.Block(nil), f.blocks...)
	blocks[i].Payload = payload
	return damage.Join(f.file, blocks)
}
