package vectors

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/pandotrace/pando/encode/slice"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// textsOptions are options with which texts of a group share a dictionary.
var textsOptions = store.Options{SliceEvents: 60, Fanout: 16, EpochSlices: 16}

func textsTrace() trace.Source { return tracegen.Comments(1, 100, 1) }

// textFaults adds files with faulty texts of slices, and faulty dictionaries of them.
func textFaults(f *faulty) error {
	file, err := File(textsTrace(), textsOptions)
	if err != nil {
		return err
	}
	texts := &faulty{file: file, blocks: damage.Blocks(file)}
	var missing error
	for _, v := range []struct {
		name, class string
		kind        format.BlockKind
		change      func(text []byte) []byte
	}{
		{"text-of-an-unknown-form", "content", format.BlockSlice, func(t []byte) []byte { return append([]byte{4}, t[1:]...) }},
		{"text-of-no-bytes", "content", format.BlockSlice, func([]byte) []byte { return page(1, 0) }},
		{"text-of-more-than-its-bytes", "content", format.BlockSlice, func([]byte) []byte { return append(page(1, 1<<20), Bomb(1<<20)...) }},
		{"text-that-is-no-frame", "codec", format.BlockSlice, func(t []byte) []byte { return append(page(1, 100), t...) }},
		{"text-of-another-length", "codec", format.BlockSlice, func(t []byte) []byte { t[1]++; return t }},
		{"text-without-its-dictionary", "content", format.BlockModel, func([]byte) []byte { return nil }},
		{"dictionary-of-texts-that-needs-one", "content", format.BlockModel, func(t []byte) []byte { return append([]byte{2}, t[1:]...) }},
		{"dictionary-of-texts-of-too-many-bytes", "content", format.BlockModel, func([]byte) []byte {
			const least = format.TextDictionaryBytes/(format.Density*format.TextBytes) + 1
			return append(append(page(1, format.TextDictionaryBytes+1), Bomb(format.TextDictionaryBytes+1)...), skipped(least)...)
		}},
	} {
		i := texts.first(v.kind)
		payload := bytes.Clone(texts.blocks[i].Payload)
		from, to, err := textIn(v.kind, payload)
		if err != nil {
			missing = errors.Join(missing, err)
			continue
		}
		text := v.change(bytes.Clone(payload[from:to]))
		changed := format.AppendBytes(bytes.Clone(payload[:from-format.UvarintLen(uint64(to-from))]), text)
		f.add(v.name, v.class, texts.with(i, append(changed, payload[to:]...)))
	}
	return missing
}

// skipped is a skippable frame of n zeros.
func skipped(n int) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0x184d2a50)
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	return append(b, make([]byte, n)...)
}

// textIn returns where the text of a slice block stands, or the dictionary of texts of a model block. Neither may be missing.
func textIn(kind format.BlockKind, payload []byte) (from, to int, err error) {
	if kind == format.BlockSlice {
		r := format.NewDecoder("slice block", payload)
		for range 5 { // number, lane, epoch, start, end - start
			r.Uvarint()
		}
		text := r.Bytes()
		to = len(payload) - r.Len()
		return to - len(text), to, r.Err()
	}
	const head = 4 // of a group's block: group, lane, epoch, pages
	t, err := slice.ParseStatistics(payload[head:], format.Limits{})
	if err != nil {
		return 0, 0, err
	}
	dictionary := t.Texts.Append(nil)
	from = bytes.Index(payload, dictionary)
	if len(dictionary) == 0 || from < 0 {
		return 0, 0, errors.New("no dictionary of texts")
	}
	return from, from + len(dictionary), nil
}
