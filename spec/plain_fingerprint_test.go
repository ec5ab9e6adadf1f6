package spec

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/pandotrace/pando/internal/model"
)

// Types of fields that do not count as their words.
const (
	plainTime  = 9
	plainText  = 13
	plainBytes = 14
)

// fingerprint is that of the events of all locations.
func (f *plainFile) fingerprint(epoch uint64, events [][]model.Record) []byte {
	order := make([]int, len(f.locations))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if f.locations[a].id < f.locations[b].id {
			return -1
		}
		return 1
	})
	var all []byte
	for _, i := range order {
		if len(events[i]) == 0 {
			continue
		}
		var stream []byte
		before := uint64(0)
		for _, r := range events[i] {
			stream = f.canonical(stream, &r, int64(epoch+uint64(r.Time)-before))
			before = epoch + uint64(r.Time)
		}
		sum := sha256.Sum256(stream)
		all = binary.AppendUvarint(all, f.locations[i].id)
		all = binary.AppendUvarint(all, uint64(len(events[i])))
		all = append(all, sum[:]...)
	}
	sum := sha256.Sum256(all)
	return sum[:]
}

func (f *plainFile) canonical(b []byte, r *model.Record, step int64) []byte {
	head := 4 * uint64(r.Kind)
	if len(r.Attrs) > 0 {
		head += 2
	}
	if r.Residual != 0 {
		head++
	}
	b = binary.AppendVarint(binary.AppendUvarint(b, head), step)
	if r.Residual != 0 {
		b = binary.AppendVarint(b, r.Residual)
	}
	texts, kind := r.Texts, f.kinds[uint64(r.Kind)]
	fields, _ := kind.layout(len(r.Words))
	for i, w := range r.Words {
		switch kind.fields[fields[i]].typ {
		case plainText, plainBytes:
			b = append(binary.AppendUvarint(b, uint64(len(texts[0]))), texts[0]...)
			texts = texts[1:]
		case plainTime:
			b = binary.AppendVarint(b, int64(w)-r.Time)
		default:
			b = binary.AppendUvarint(b, w)
		}
	}
	if len(r.Attrs) > 0 {
		b = binary.AppendUvarint(b, uint64(len(r.Attrs)))
	}
	for _, a := range r.Attrs {
		b = append(binary.AppendUvarint(b, a.ID), byte(a.Type))
		b = binary.AppendUvarint(b, a.Value)
	}
	return b
}
