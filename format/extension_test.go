package format

import (
	"errors"
	"strings"
	"testing"
)

// Extensions with even tags are passed over. What is none, and what must be understood, is refused.
func TestExtensions(t *testing.T) {
	all := AppendExtension(AppendExtension(nil, 0, []byte("abc")), 300, nil)
	for _, c := range []struct {
		b           []byte
		want        string
		unsupported bool
	}{
		{nil, "", false},
		{all, "", false},
		{all[:len(all)-1], "bad integer", false},
		{all[:3], "too large", false},
		{AppendExtension(all, 300, nil), "extension 300 follows on 300", false},
		{AppendExtension(all, 2, nil), "extension 2 follows on 300", false},
		{AppendExtension(nil, 1<<32, nil), "follows", false},
		{AppendExtension(all, 301, nil), "must be understood", true},
		{AppendExtension(nil, 1, []byte{1}), "must be understood", true},
	} {
		left, err := NewDecoder("test", c.b).FinishExtended()
		if err == nil && string(left) != string(c.b) {
			t.Errorf("% x: returned % x", c.b, left)
		}
		d := NewDecoder("test", append(AppendBytes(nil, c.b), 7))
		d.Extensions()
		for what, err := range map[string]error{"at the end": err, "in the middle": d.Err()} {
			want := c.want
			if len(c.b) == 0 && what == "in the middle" {
				want = "no extension"
			}
			if (err == nil) != (want == "") || err != nil && (!IsCorrupt(err) || !strings.Contains(err.Error(), want)) || errors.Is(err, ErrUnsupported) != c.unsupported {
				t.Errorf("% x, %s: %v, want %q", c.b, what, err, want)
			}
		}
		if d.Err() == nil && (d.Byte() != 7 || d.Finish() != nil) {
			t.Errorf("% x: what follows is not read", c.b)
		}
	}
}
