package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/store"
)

// Numbers that a writer left out, from the last one on, are null, and not 0.
func TestNumbersNotCounted(t *testing.T) {
	for uncounted := range 4 {
		info := &store.Info{Doubts: index.Doubts{Uncounted: uncounted}}
		s := newSuspicious(info)
		b, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"ranks_with_other_collectives", "requests_never_completed", "messages_received_before_sent"} {
			want := "0"
			if i < uncounted {
				want = "null"
			}
			if field := fmt.Sprintf("%q:%s", name, want); !strings.Contains(string(b), field) {
				t.Errorf("%d numbers are not counted: no %s in %s", uncounted, field, b)
			}
		}
		if text := s.text("file"); text != "" {
			t.Errorf("%d numbers are not counted: %s", uncounted, text)
		}
	}
}
