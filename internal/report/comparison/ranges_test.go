package comparison

import "testing"

func TestRanges(t *testing.T) {
	for _, c := range []struct {
		want   string
		labels []string
	}{
		{"", nil},
		{"rank 0", []string{"rank 0"}},
		{"rank 0-3,7", []string{"rank 3", "rank 7", "rank 0", "rank 1", "rank 2"}},
		{"rank 1 thread 0-1, rank 2 thread 5", []string{"rank 1 thread 0", "rank 1 thread 1", "rank 2 thread 5"}},
		{"Master thread, rank 1", []string{"Master thread", "rank 1"}},
		{"a 007", []string{"a 007"}},
		{"gpu 99999999999999999999", []string{"gpu 99999999999999999999"}},
	} {
		if got := ranges(c.labels); got != c.want {
			t.Errorf("%q is %q, not %q", c.labels, got, c.want)
		}
	}
}

func TestPartOf(t *testing.T) {
	for text, want := range map[string][2]string{
		"10s": {"10s", "10s"}, "a:10s,b:12s": {"10s", "12s"}, "b:5%": {"", "5%"}, " a:1s , b:2s": {"1s", "2s"}, "": {"", ""},
	} {
		if a, b := PartOf(text, 0), PartOf(text, 1); a != want[0] || b != want[1] {
			t.Errorf("%q is %q and %q", text, a, b)
		}
	}
}
