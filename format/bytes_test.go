package format

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// leb128 is the textbook encoding, digit by digit, in at least n bytes.
func leb128(v uint64, n int) []byte {
	var b []byte
	for v >= 0x80 || len(b) < n-1 {
		b = append(b, byte(v%0x80)|0x80)
		v /= 0x80
	}
	return append(b, byte(v))
}

// anySize draws integers of all lengths alike.
func anySize(t *rapid.T) uint64 {
	return rapid.Uint64().Draw(t, "digits") >> rapid.IntRange(0, 63).Draw(t, "shift")
}

func TestUvarint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := anySize(t)
		b := AppendUvarint([]byte("x"), v)
		if want := leb128(v, 1); !bytes.Equal(b[1:], want) {
			t.Fatalf("%d is % x, should be % x", v, b[1:], want)
		}
		d := NewDecoder("test", b[1:])
		if got := d.Uvarint(); got != v || d.Finish() != nil {
			t.Fatalf("%d comes back as %d: %v", v, got, d.Err())
		}
		long := leb128(v, len(b))
		if d := NewDecoder("test", long); d.Uvarint() != 0 || d.Err() == nil {
			t.Fatalf("% x: %d in more bytes than needed was accepted", long, v)
		}
	})
}

// What can be read as an integer is the integer's only form: tried with all beginnings of two bytes and some of what may
// follow.
func TestUvarintIsCanonical(t *testing.T) {
	accepted := 0
	for first := range 1 << 16 {
		for _, tail := range [][]byte{nil, {0x00}, {0x01}, {0x80, 0x00}, {0x80, 0x01}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}} {
			b := append([]byte{byte(first), byte(first >> 8)}, tail...)
			d := Decoder{data: b}
			v := d.Uvarint()
			if d.err != nil {
				continue
			}
			accepted++
			if again := AppendUvarint(nil, v); !bytes.Equal(again, b[:d.pos]) {
				t.Fatalf("% x was read as %d, which is % x", b[:d.pos], v, again)
			}
		}
	}
	if accepted == 0 {
		t.Fatal("nothing was accepted")
	}
}

func TestUvarintRefuses(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing":           {},
		"an end too early":  {0x80},
		"a zero at the end": {0x80, 0x00},
		"65 bits":           {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02},
		"eleven bytes":      {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x81, 0x00},
	} {
		if d := NewDecoder("test", b); d.Uvarint() != 0 || d.Err() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if d := NewDecoder("test", leb128(math.MaxUint64, 1)); d.Uvarint() != math.MaxUint64 || d.Finish() != nil {
		t.Errorf("the greatest integer: %v", d.Err())
	}
}

func TestZigzag(t *testing.T) {
	for v, want := range map[int64]uint64{0: 0, -1: 1, 1: 2, -2: 3, 2: 4, math.MaxInt64: 1<<64 - 2, math.MinInt64: 1<<64 - 1} {
		if got := Zigzag(v); got != want {
			t.Errorf("Zigzag(%d) = %d, want %d", v, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := int64(anySize(t)) ^ -int64(rapid.Uint64Range(0, 1).Draw(t, "sign"))
		d := NewDecoder("test", AppendVarint(nil, v))
		if Unzigzag(Zigzag(v)) != v || d.Varint() != v || d.Finish() != nil {
			t.Fatalf("%d does not come back", v)
		}
	})
}

func TestDecoderReadsInOrder(t *testing.T) {
	b := AppendUvarint(nil, 300)
	b = AppendBytes(b, "text")
	b = AppendBytes(b, []byte{})
	b = append(b, 7, 0x44, 0x33, 0x22, 0x11)
	d := NewDecoder("test", b)
	if v := d.Int(301); v != 300 {
		t.Errorf("integer %d", v)
	}
	if text, empty := string(d.Bytes()), d.Bytes(); text != "text" || len(empty) != 0 {
		t.Errorf("bytes %q and %q", text, empty)
	}
	if v := d.Byte(); v != 7 {
		t.Errorf("byte %d", v)
	}
	if v := d.Uint32(); v != 0x11223344 {
		t.Errorf("four bytes %#x", v)
	}
	if err := d.Finish(); err != nil {
		t.Error(err)
	}
}

// Each read that cannot be done fails, returns zero, and makes all later ones fail, with the first error.
func TestDecoderErrorsStick(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		read func(d *Decoder) any
	}{
		"integer":                     {[]byte{0x80}, func(d *Decoder) any { return d.Uvarint() }},
		"signed integer":              {[]byte{0x80}, func(d *Decoder) any { return d.Varint() }},
		"integer out of range":        {[]byte{5, 1, 1}, func(d *Decoder) any { return d.Int(5) }},
		"negative range":              {[]byte{0, 1, 1}, func(d *Decoder) any { return d.Int(-1) }},
		"byte":                        {nil, func(d *Decoder) any { return d.Byte() }},
		"four bytes":                  {[]byte{1, 2, 3}, func(d *Decoder) any { return d.Uint32() }},
		"bytes":                       {[]byte{3, 1, 1}, func(d *Decoder) any { return len(d.Bytes()) }},
		"more bytes than there are":   {[]byte{1}, func(d *Decoder) any { return len(d.Take(2)) }},
		"negative number of bytes":    {[]byte{1}, func(d *Decoder) any { return len(d.Take(-1)) }},
		"count over the limit":        {[]byte{3, 1, 1, 1}, func(d *Decoder) any { return d.Count(1, 2) }},
		"count under a limit below 0": {[]byte{1, 1}, func(d *Decoder) any { return d.Count(1, -1) }},
		"count of what is not there":  {[]byte{2, 1, 1, 1}, func(d *Decoder) any { return d.Count(2, 100) }},
	} {
		d := NewDecoder("part", c.data)
		if got := c.read(d); got != 0 && got != uint64(0) && got != int64(0) && got != byte(0) && got != uint32(0) {
			t.Errorf("%s: read %v", name, got)
		}
		first := d.Err()
		d.Fail("another error")
		if d.Uvarint() != 0 || d.Byte() != 0 || d.Len() != 0 || d.Finish() != first {
			t.Errorf("%s: goes on after the error", name)
		}
		checkCorrupt(t, name, first, "part")
	}
}

func checkCorrupt(t *testing.T, what string, err error, section string) {
	t.Helper()
	if !IsCorrupt(err) {
		t.Errorf("%s: %v is no CorruptError", what, err)
	} else if c := err.(*CorruptError); c.Section != section || c.Err == nil {
		t.Errorf("%s: section %q, cause %v", what, c.Section, c.Err)
	}
}

func TestDecoderCount(t *testing.T) {
	nine := append([]byte{9}, make([]byte, 18)...)
	for _, c := range []struct {
		each, limit int
		ok          bool
	}{{2, 9, true}, {2, 8, false}, {3, 9, false}, {0, 9, true}, {0, 8, false}} {
		d := NewDecoder("test", nine)
		if n := d.Count(c.each, c.limit); (n == 9) != c.ok || (d.Err() == nil) != c.ok {
			t.Errorf("9 elements of %d bytes, at most %d, in 18 bytes: %d, %v", c.each, c.limit, n, d.Err())
		}
	}
}

func TestDecoderFinish(t *testing.T) {
	d := NewDecoder("part", []byte{1, 2, 3})
	d.Byte()
	if err := d.Finish(); err == nil || !strings.Contains(err.Error(), "part: byte 1: 2 bytes too many") {
		t.Errorf("bytes left over: %v", err)
	}
}

func TestLimits(t *testing.T) {
	var zero, own Limits
	defaults, fields := reflect.ValueOf(zero.WithDefaults()), reflect.ValueOf(&own).Elem()
	for i := range fields.NumField() {
		if defaults.Field(i).Int() == 0 {
			t.Errorf("%s has no default", fields.Type().Field(i).Name)
		}
		fields.Field(i).SetInt(int64(i + 1))
	}
	if got := own.WithDefaults(); got != own {
		t.Errorf("limits of one's own %+v became %+v", own, got)
	}
}
