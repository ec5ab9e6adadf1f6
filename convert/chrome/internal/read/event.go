package read

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/trace"
)

// event is an event as it stands in the text; values are JSON.
type event struct {
	*row
	text   []byte  // that the row is of
	fields []field // that are no values of the row, and those that an event of this phase keeps
}

type field struct{ key, value []byte }

// key is a member that the model has a place for.
type key int

const (
	keyName key = iota
	keyCat
	keyTime
	keyDuration
	keyPid
	keyTid
	keyID
	keyArgs
	keyBind
	keyFlowIn
	keyFlowOut
	keyFlag
	keyAlone // the id of a point of a flow that is no end of a message, see form.AloneKey
	keyOrder // of a point of a flow among those of its time, see form.OrderKey
	keys     // that have values in a row
	keyPhase
	otherKey
)

func (e *event) of(k key) []byte { return e.values[k].Of(e.text) }

func (e *event) name() []byte    { return e.of(keyName) }
func (e *event) cat() []byte     { return e.of(keyCat) }
func (e *event) ts() []byte      { return e.of(keyTime) }
func (e *event) dur() []byte     { return e.of(keyDuration) }
func (e *event) pid() []byte     { return e.of(keyPid) }
func (e *event) tid() []byte     { return e.of(keyTid) }
func (e *event) id() []byte      { return e.of(keyID) }
func (e *event) args() []byte    { return e.of(keyArgs) }
func (e *event) bind() []byte    { return e.of(keyBind) }
func (e *event) flowIn() []byte  { return e.of(keyFlowIn) }
func (e *event) flowOut() []byte { return e.of(keyFlowOut) }
func (e *event) flag() []byte    { return e.of(keyFlag) }
func (e *event) alone() []byte   { return e.of(keyAlone) }
func (e *event) order() []byte   { return e.of(keyOrder) }

// number reads a value that is a number, or a string that holds one.
func number(value []byte) (scan.Decimal, bool) {
	return scan.ParseDecimal(unquoted(value))
}

func unquoted(value []byte) []byte {
	if scan.IsString(value) {
		return value[1 : len(value)-1]
	}
	return value
}

// integer returns a number that is a whole one.
func integer(d scan.Decimal) (v uint64, ok bool) {
	if d.Lost || d.Exponent < 0 || d.Exponent >= len(scan.Powers) {
		return 0, false
	}
	if d.Mantissa > math.MaxUint64/scan.Powers[d.Exponent] {
		return 0, false
	}
	return d.Mantissa * scan.Powers[d.Exponent], true
}

// typed returns a JSON number as a value: an integer if it is written as one that fits, else a double.
func typed(s []byte) (typ trace.ValueType, v uint64, ok bool) {
	d, ok := scan.ParseDecimal(s)
	if !ok {
		return 0, 0, false
	}
	if v, whole := integer(d); whole && d.Exponent == 0 && bytes.IndexByte(s, '.') < 0 {
		switch {
		case d.Negative && v > 0 && v <= 1<<63:
			return trace.ValueInt64, -v, true
		case !d.Negative && v <= math.MaxInt64:
			return trace.ValueInt64, v, true
		case !d.Negative:
			return trace.ValueUint64, v, true
		}
	}
	f, err := strconv.ParseFloat(string(s), 64)
	return trace.ValueDouble, math.Float64bits(f), err == nil
}

// identOf returns a pid or tid.
func (r *reader) identOf(value []byte) ident {
	if len(value) == 0 || string(value) == "null" {
		return ident{}
	}
	if v, ok := scan.PlainInteger(value); ok {
		return ident{isNumber, v}
	}
	if !scan.IsString(value) {
		if v, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return ident{isNumber, v}
		}
		if v, err := strconv.ParseUint(string(value), 10, 64); err == nil {
			return ident{isUnsigned, int64(v)}
		}
	}
	return ident{isText, int64(r.names.strings.id(scan.Text(value, &r.room)))}
}

// number returns the number of an event's id: itself where it is one, decimal or in hexadecimal digits, else a hash of it.
func (r *reader) number(value []byte) uint64 {
	if len(value) == 0 {
		return 0
	}
	s := scan.Text(value, &r.room)
	if v, err := strconv.ParseUint(string(s), 0, 64); err == nil {
		return v
	}
	return hash(hashSeed, s)
}

// isNumber reports whether an id is a number by itself.
func isNumberID(s []byte) bool {
	_, err := strconv.ParseUint(string(s), 0, 64)
	return err == nil
}

const hashSeed = 14695981039346656037

// hash goes on with a hash (64-bit FNV-1a, by Fowler, Noll and Vo).
func hash(h uint64, s []byte) uint64 {
	for _, c := range s {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return (h ^ 0xff) * 1099511628211
}

// hashWord goes on with a hash.
func hashWord(h, v uint64) uint64 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	return hash(h, b[:])
}
