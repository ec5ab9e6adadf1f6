package records

import (
	"math"

	"github.com/pandotrace/pando/format"
)

// Forms of a column of numbers.
const (
	plainForm      = 0
	differenceForm = 1 // from the number before, 0 before the first one
	secondForm     = 2 // differences of these
	forms          = 3
)

// AppendNumbers appends a column of numbers:
//
//	byte      form: 0 plain, 1 differences from the number before, 2 differences of these
//	numbers   plain: uvarints; else varints. What stands before the first one is 0; arithmetic is modulo 2^64
func AppendNumbers(dst []byte, column []uint64) []byte {
	if len(column) == 0 {
		return dst
	}
	form, least := plainForm, math.Inf(1)
	for f := range forms {
		if cost := costOf(column, f); cost < least {
			form, least = f, cost
		}
	}
	dst = append(dst, byte(form))
	var last, step uint64
	for _, v := range column {
		dst = format.AppendUvarint(dst, inForm(form, v, &last, &step))
	}
	return dst
}

// ReadNumbers reads a column of n numbers that AppendNumbers wrote. Each takes a byte at least, which is checked before anything is allocated.
func ReadNumbers(d *format.Decoder, n int) []uint64 {
	if n == 0 {
		return nil
	}
	form := d.Byte()
	if form >= forms || n > d.Len() {
		d.Fail("%d numbers of form %d", n, form)
		return nil
	}
	column := make([]uint64, n)
	var last, step uint64
	for i := range column {
		column[i] = outOfForm(int(form), d.Uvarint(), &last, &step)
	}
	return column
}

// inForm returns what stands for a number; last and step are the number before and its difference.
func inForm(form int, v uint64, last, step *uint64) uint64 {
	d := v - *last
	dd := d - *step
	*last, *step = v, d
	switch form {
	case differenceForm:
		return format.Zigzag(int64(d))
	case secondForm:
		return format.Zigzag(int64(dd))
	}
	return v
}

// outOfForm undoes inForm.
func outOfForm(form int, v uint64, last, step *uint64) uint64 {
	switch form {
	case differenceForm:
		*last += uint64(format.Unzigzag(v))
		return *last
	case secondForm:
		*step += uint64(format.Unzigzag(v))
		*last += *step
		return *last
	}
	return v
}

// costOf estimates the bits that a column takes in a form: the entropy of its bytes, those that repeat the one before left out.
func costOf(column []uint64, form int) float64 {
	var count [256]int
	var buffer [10]byte
	var last, step, before uint64
	n := 0
	for _, v := range column {
		x := inForm(form, v, &last, &step)
		if x == before {
			continue
		}
		before = x
		for _, c := range format.AppendUvarint(buffer[:0], x) {
			count[c]++
			n++
		}
	}
	bits := 0.0
	for _, c := range count {
		if c > 0 {
			bits += float64(c) * (1 + math.Log2(float64(n)/float64(c)))
		}
	}
	return bits
}

// mostShared is the most bytes that a text shares with the one before.
const mostShared = 255

// appendTexts appends a column of texts, each without the bytes at its begin that are those of the text before:
//
//	bytes     one for each text: how many these are
//	uvarints  lengths of the rests
//	bytes     rests
func (l *Log) appendTexts(dst []byte, column []uint64) []byte {
	shared := make([]int, len(column))
	var before []byte
	for i, word := range column {
		text := l.textOf(word)
		n := 0
		for n < len(text) && n < len(before) && n < mostShared && text[n] == before[n] {
			n++
		}
		shared[i], before = n, text
		dst = append(dst, byte(n))
	}
	for i, word := range column {
		dst = format.AppendUvarint(dst, uint64(len(l.textOf(word))-shared[i]))
	}
	for i, word := range column {
		dst = append(dst, l.textOf(word)[shared[i]:]...)
	}
	return dst
}

func (l *Log) textOf(word uint64) []byte {
	return l.text[word>>32:][:word&math.MaxUint32]
}

// lengthOf returns the number of bytes of texts: all of them, and each counted with what it shares.
func lengthOf(column []uint64) (n int) {
	for _, word := range column {
		n += int(word & math.MaxUint32)
	}
	return n
}
