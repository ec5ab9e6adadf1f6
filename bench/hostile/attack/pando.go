package attack

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
)

var pandoKinds = []kind{
	{"Pando file", "one bit flipped, checksums as they were", 1500, flippedBit},
	{"Pando file", "cut off at any length", 800, cutOff},
	{"Pando file", "blocks swapped, twice, missing, zeros, checksums as they were", 600, movedBlocks},
	{"Pando file", "bytes behind renewed checksums changed", 2000, forgedBytes},
	{"Pando file", "absurd counts behind renewed checksums", 1200, forgedCounts},
	{"Pando file", "blocks swapped, twice, missing, of another kind or file, checksums renewed", 600, forgedBlocks},
	{"Pando file", "vectors of the specification, changed once more", 700, forgedVectors},
	{"Pando file", "two files in one, bytes before and behind", 150, joinedFiles},
	{"Pando file", "empty, tiny, and random bytes behind the magic", 400, randomFile},
	{"Pando file", "blocks that unpack to much more", 60, bombBlocks},
}

// Verbs that only print, and those that write; IN is the file, OUT what is written.
var (
	printing = split("info IN --json --regions --locations", "info IN --bytes", "info IN --compaction", "window IN --from 10% --to 90% --limit 50",
		"summary IN", "summary IN --json --from 20% --to 70%", "cat IN", "cat IN --by-location --json", "cat IN --aux", "cat IN --definitions --json",
		"find IN --longest 5", "find IN --unmatched", "find IN --after 30% --limit 3", "stack IN --at 50% --location 0", "timeline IN --json --pixels 40")
	writing = split("convert IN OUT.pando", "convert IN OUT/t.otf2", "convert IN OUT.json", "convert IN OUT.json.gz", "convert IN OUT.pando --from 20% --to 60%", "recover IN OUT.pando",
		"export IN --format csv -o OUT", "export IN --format parquet -o OUT", "export IN --format arrow -o OUT", "export IN --format chrome -o OUT.json",
		"timeline IN -o OUT.svg", "timeline IN -o OUT.png --width 300")
	checking = split("verify IN", "verify IN --deep", "diff IN good.pando", "diff IN good.pando --program", "verify IN --sample 50%", "merge IN good.pando -o OUT.pando",
		"compare IN good.pando", "compare good.pando IN --json", "compare IN good.pando --level wrap --structure", "compare IN --similarity", "compare IN good.pando --first --json",
		"compare IN good.pando --match cluster --tables aligned_calls,skew -o OUT --format csv", "compare good.pando IN -o OUT.svg")
)

func split(lines ...string) (all [][]string) {
	for _, l := range lines {
		all = append(all, strings.Fields(l))
	}
	return all
}

// line returns a command line for a file.
func line(verb []string, in string) []string {
	args := append([]string(nil), verb...)
	for i, arg := range args {
		if arg == "IN" {
			args[i] = in
		}
		args[i] = strings.Replace(args[i], "OUT", "out", 1)
	}
	return args
}

const file = "in.pando"

// elsewhere are verbs whose errors may be of another file or format than the input.
var elsewhere = []string{"diff", "merge", "convert", "export", "compare"}

// anyVerb writes the file and asks any verb for it.
func anyVerb(d dice, dir string, data, good []byte) (*try, error) {
	verb := pick(d, append(append(append([][]string{}, printing...), writing...), checking...))
	if err := put(dir, "good.pando", good); err != nil {
		return nil, err
	}
	return &try{args: line(verb, file), input: file, placed: !slices.Contains(elsewhere, verb[0])}, put(dir, file, data)
}

// noticing asks a verb that must notice that bytes were changed behind the back of their checksums: verify always, another one if it
// reads them.
func (a *Attack) noticing(d dice, dir string, which int, data []byte) (*try, error) {
	if err := put(dir, file, data); err != nil {
		return nil, err
	}
	if d.IntN(2) == 0 {
		return &try{args: line([]string{"verify", "IN"}, file), must: refuse, input: file}, nil
	}
	verb := pick(d, printing)
	want, err := a.soundAnswer(which, verb)
	return &try{args: line(verb, file), must: sameOr, want: want, input: file, placed: true}, err
}

func flippedBit(a *Attack, d dice, dir string) (*try, error) {
	which := d.IntN(len(a.bases.pando))
	data := bytes.Clone(a.bases.pando[which])
	data[d.IntN(len(data))] ^= 1 << d.IntN(8)
	return a.noticing(d, dir, which, data)
}

func cutOff(a *Attack, d dice, dir string) (*try, error) {
	which := d.IntN(len(a.bases.pando))
	data := a.bases.pando[which]
	data = data[:d.IntN(len(data))]
	if d.IntN(3) == 0 {
		return a.recovering(dir, which, data)
	}
	t, err := a.noticing(d, dir, which, data)
	if err == nil {
		t.must = refuse
	}
	return t, err
}

var savedLine = regexp.MustCompile(`(?m)^  saved +([0-9,]+) events`)

// recovering lets what is left of a file be saved: all of it, or the program says that something is lost.
func (a *Attack) recovering(dir string, which int, data []byte) (*try, error) {
	verb := split("recover IN OUT.pando")[0]
	want, err := a.soundAnswer(which, split("info IN")[0])
	if err != nil {
		return nil, err
	}
	return &try{args: line(verb, file), input: file, check: func(o *outcome) string {
		m := savedLine.FindStringSubmatch(o.stdout)
		if o.code == 0 && (m == nil || m[1] != eventsOf(want)) {
			return "silent: not all is saved, and nothing is told to be lost"
		}
		return ""
	}}, put(dir, file, data)
}

func movedBlocks(a *Attack, d dice, dir string) (*try, error) {
	which := d.IntN(len(a.bases.pando))
	data := bytes.Clone(a.bases.pando[which])
	blocks := damage.Blocks(data)
	one, other := pick(d, blocks), pick(d, blocks)
	from, to := one.Offset, one.Offset+one.Size()
	switch d.IntN(4) {
	case 0:
		clear(data[from:to])
	case 1:
		data = append(data[:from:from], data[to:]...)
	case 2:
		data = append(data[:to:to], data[from:]...)
	default:
		if one.Offset == other.Offset {
			clear(data[from:to])
			break
		}
		copy(data[from:to], a.bases.pando[which][other.Offset:])
	}
	if bytes.Equal(data, a.bases.pando[which]) {
		data[from] ^= 1
	}
	return a.noticing(d, dir, which, data)
}

// forge changes blocks of a sound file, and gives it new checksums.
func (a *Attack) forge(d dice, dir string, change func(blocks []damage.Block) []damage.Block) (*try, error) {
	which := d.IntN(len(a.bases.plain))
	data := a.bases.plain[which]
	return anyVerb(d, dir, damage.Join(data, change(cloned(data))), a.bases.pando[which])
}

// cloned returns the blocks of a file, to be changed.
func cloned(data []byte) []damage.Block {
	blocks := damage.Blocks(data)
	for i := range blocks {
		blocks[i].Payload = bytes.Clone(blocks[i].Payload)
	}
	return blocks
}

// anyKind returns a block of a kind that is drawn first, so that rare kinds come as often as others.
func anyKind(d dice, blocks []damage.Block) int {
	var seen []format.BlockKind
	for _, b := range blocks {
		if !bytes.Contains(kindBytes(seen), []byte{byte(b.Kind)}) {
			seen = append(seen, b.Kind)
		}
	}
	kind := pick(d, seen)
	var of []int
	for i, b := range blocks {
		if b.Kind == kind {
			of = append(of, i)
		}
	}
	return pick(d, of)
}

func kindBytes(kinds []format.BlockKind) (b []byte) {
	for _, k := range kinds {
		b = append(b, byte(k))
	}
	return b
}

func forgedBytes(a *Attack, d dice, dir string) (*try, error) {
	return a.forge(d, dir, func(blocks []damage.Block) []damage.Block {
		b := &blocks[anyKind(d, blocks)]
		for range 1 + d.IntN(3) {
			b.Payload = d.damaged(b.Payload)
		}
		return blocks
	})
}

func forgedCounts(a *Attack, d dice, dir string) (*try, error) {
	return a.forge(d, dir, func(blocks []damage.Block) []damage.Block {
		b := &blocks[anyKind(d, blocks)]
		if len(b.Payload) > 0 {
			at := d.IntN(min(len(b.Payload), 120))
			b.Payload = append(format.AppendUvarint(bytes.Clone(b.Payload[:at]), d.absurd()), b.Payload[at+1:]...)
		}
		return blocks
	})
}

func forgedBlocks(a *Attack, d dice, dir string) (*try, error) {
	others := cloned(pick(d, a.bases.plain))
	return a.forge(d, dir, func(blocks []damage.Block) []damage.Block {
		for range 1 + d.IntN(3) {
			i, k := anyKind(d, blocks), anyKind(d, blocks)
			switch d.IntN(6) {
			case 0:
				blocks[i].Payload, blocks[k].Payload = blocks[k].Payload, blocks[i].Payload
			case 1:
				blocks = append(blocks[:i:i], blocks[i+1:]...)
			case 2:
				blocks = append(blocks[:i+1:i+1], blocks[i:]...)
			case 3:
				blocks[i].Kind = format.BlockKind(d.IntN(24))
			case 4:
				blocks[i].Payload = others[anyKind(d, others)].Payload
			default:
				blocks[i], blocks[k] = blocks[k], blocks[i]
			}
			if len(blocks) == 0 {
				break
			}
		}
		return blocks
	})
}

func forgedVectors(a *Attack, d dice, dir string) (*try, error) {
	data := pick(d, a.bases.vectors)
	if blocks := cloned(data); len(blocks) > 0 && d.IntN(4) > 0 {
		b := &blocks[anyKind(d, blocks)]
		b.Payload = d.damaged(b.Payload)
		data = damage.Join(data, blocks)
	}
	return anyVerb(d, dir, data, a.bases.pando[0])
}

func joinedFiles(a *Attack, d dice, dir string) (*try, error) {
	one, other := pick(d, a.bases.pando), pick(d, a.bases.pando)
	junk := d.bytes(1 + d.IntN(1000))
	data := pick(d, [][][]byte{{one, other}, {junk, one}, {one, junk}, {one, one}, {one, make([]byte, 4096)}, {[]byte("#!/bin/sh\n"), one}})
	t, err := anyVerb(d, dir, bytes.Join(data, nil), one)
	if err == nil && t.args[0] != "recover" {
		t.must, t.placed = refuse, false
	}
	return t, err
}

func randomFile(a *Attack, d dice, dir string) (*try, error) {
	base := pick(d, a.bases.pando)
	sizes := []int{0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 200, 1000, 20000}
	n := pick(d, sizes)
	data := d.bytes(n)
	copy(data, base[:min(n, pick(d, []int{0, 8, 64}))])
	if tail := base[len(base)-format.FooterSize:]; d.IntN(3) == 0 && n > len(tail) {
		copy(data[n-len(tail):], tail)
	}
	t, err := anyVerb(d, dir, data, base)
	if err == nil {
		t.must, t.placed = refuse, false
	}
	return t, err
}

func bombBlocks(a *Attack, d dice, dir string) (*try, error) {
	return a.forge(d, dir, func(blocks []damage.Block) []damage.Block {
		b := &blocks[anyKind(d, blocks)]
		n := pick(d, []int{1 << 20, 64 << 20, 255 << 20, 1 << 30, 1<<32 - 1})
		b.Payload, b.Codec, b.Raw = zstdZeros(n), format.CodecZstd, uint32(n)
		return blocks
	})
}

// soundAnswer returns what a verb prints of the sound file.
func (a *Attack) soundAnswer(which int, verb []string) (string, error) {
	return a.remembered(fmt.Sprint(which, verb), line(verb, file), func(dir string) error { return put(dir, file, a.bases.pando[which]) })
}

// remembered returns what a command line prints of sound files, which fill puts into its folder. It runs once for each key.
func (a *Attack) remembered(key string, args []string, fill func(dir string) error) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if text, ok := a.answers[key]; ok {
		return text, nil
	}
	dir, err := a.folder()
	if err == nil {
		err = fill(dir)
	}
	if err != nil {
		return "", err
	}
	c := a.command(args...)
	c.Dir = dir
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%q of a sound file: %w", args, err)
	}
	a.answers[key] = string(out)
	return a.answers[key], nil
}
