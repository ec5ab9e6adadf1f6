package chrome

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Texts of an argument that hardly repeat are not defined, whatever others do; those that repeat are. All come back.
func TestArgumentsThatHardlyRepeat(t *testing.T) {
	const events, size = 2000, 400
	var in []string
	for i := range events {
		own := fmt.Sprintf("%d: %s", i, strings.Repeat("argument, ", size/10))
		in = append(in, fmt.Sprintf(`{"ph":"X","name":"f","pid":1,"tid":1,"ts":%d,"dur":5,"args":{"before":%d,"own":%q,"often":%q,"after":"%d"}}`,
			10*i, i, own, strings.Repeat("often", 1+i%50), i%3))
	}
	text := "[" + strings.Join(in, ",\n") + "]"
	r := pandoOf(t, mustOpen(t, []byte(text)))
	defs, err := r.Definitions()
	if err != nil {
		t.Fatal(err)
	}
	defined, often := 0, 0
	for _, s := range defs.Strings {
		if strings.HasPrefix(s, "often") {
			often++
		}
		defined += len(s)
	}
	if defined < 256<<10 || defined > 300<<10 || often != 50 {
		t.Errorf("%d bytes are defined, %d texts that repeat; want some more than 256 KiB, and 50", defined, often)
	}
	want, got := argumentsOf(t, []byte(text)), argumentsOf(t, exported(t, r, r.All()))
	if len(want) != events || !slices.Equal(want, got) {
		t.Errorf("%d arguments, %d come back, or other ones", len(want), len(got))
	}
}

// argumentsOf lists the arguments of the slices of a file.
func argumentsOf(t *testing.T, text []byte) (list []string) {
	t.Helper()
	events, err := parsedEvents(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e["ph"] == "X" || e["ph"] == "B" {
			args, _ := e["args"].(map[string]any)
			list = append(list, fmt.Sprint(e["ts"], args))
		}
	}
	return list
}
