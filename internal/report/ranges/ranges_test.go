package ranges

import "testing"

func TestOf(t *testing.T) {
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
		if got := Of(c.labels, 12); got != c.want {
			t.Errorf("%q is %q, not %q", c.labels, got, c.want)
		}
	}
}
