package recorders

import (
	"slices"
	"testing"

	"github.com/pandotrace/pando/trace"
)

// Only what there was no memory for is blamed on the budget.
func TestGivenUp(t *testing.T) {
	m := &trace.Meta{}
	for _, p := range [][2]string{{"recording.program", "./a.out"}, {"recording.phases", "step=every:2"}, {"recording.left_out", "3 phases with 4 messages and other events"},
		{"recording.left_out_partners", "2 ends of messages whose other end was left out"}, {"recording.metrics", "given up"}, {"other", "of another kind"}} {
		m.Properties = append(m.Properties, trace.Property{Name: p[0], Value: p[1]})
	}
	want := []string{"3 phases with 4 messages and other events were left out", "2 ends of messages whose other end was left out are left out, too", "the budget was used up; metrics: given up"}
	if got := GivenUp(m); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
