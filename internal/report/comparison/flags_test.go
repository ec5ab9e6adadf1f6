package comparison

import "testing"

func TestPartOf(t *testing.T) {
	for text, want := range map[string][2]string{
		"10s": {"10s", "10s"}, "a:10s,b:12s": {"10s", "12s"}, "b:5%": {"", "5%"}, " a:1s , b:2s": {"1s", "2s"}, "": {"", ""},
	} {
		if a, b := PartOf(text, 0), PartOf(text, 1); a != want[0] || b != want[1] {
			t.Errorf("%q is %q and %q", text, a, b)
		}
	}
}
