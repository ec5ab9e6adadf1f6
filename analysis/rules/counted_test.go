package rules_test

import (
	"reflect"
	"testing"

	"github.com/pandotrace/pando/analysis/rules"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/internal/tracetest/stored"
)

// What breaks a rule on the structure of calls is counted there: only rows that are shown are read, and the answer is that of all rows.
func TestCountedWithoutRows(t *testing.T) {
	r := stored.Trace(t, tracetest.Anchor(t, "otf2.mg.S.16.skew"))
	for condition, structural := range map[string]bool{
		"calls: depth < 1": true, `calls: rank != 3 || depth > 1 || region == "MPI_Send"`: true, `calls: region != "MPI_Send"`: true,
		"messages: send_rank > 2": true, "calls: depth < 1 || duration < 1ms": false, "messages: tag == 5": false,
		`calls: parent.depth != 1 || parent.region == "main"`: false,
	} {
		rule, err := rules.Parse(condition)
		if err != nil {
			t.Fatal(err)
		}
		looked := int64(0)
		got, err := rules.Find(t.Context(), r, r.All(), []*rules.Rule{rule}, rules.Options{Limit: 4, Progress: func(_, total int64) { looked = max(looked, total) }})
		if err != nil {
			t.Fatal(err)
		}
		want, err := rules.Find(t.Context(), r, r.All(), []*rules.Rule{rule}, rules.Options{Limit: 4, Plain: true})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(findings(got), findings(want)) || len(got.Findings) == 0 {
			t.Errorf("%s: %v, want %v", condition, findings(got), findings(want))
		}
		if structural != (looked == 0) {
			t.Errorf("%s: %d events are looked at", condition, looked)
		}
	}
}
