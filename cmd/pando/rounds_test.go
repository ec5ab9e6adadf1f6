package main

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
)

// roundsOfVerbs are command lines about a file on a server, FILE, and the most rounds of requests until they are done. Each table that is
// exported takes some of its own.
var roundsOfVerbs = []struct {
	line   string
	rounds int
}{
	{"info FILE --json", 2},
	{"info FILE --regions --locations", 2},
	{"info FILE --bytes", 4},
	{"info FILE --compaction", 4},
	{"window FILE --from 40% --to 41%", 4},
	{"window FILE --from 40% --to 41% --location 1 --calls", 4},
	{"window FILE --from 40% --to 41% --messages", 4},
	{"window FILE --from 40% --to 41% --events", 4},
	{"summary FILE", 4},
	{"summary FILE --from 11% --to 77%", 4},
	{"summary FILE --by location", 4},
	{"summary FILE --from 11% --to 77% --location 1", 4},
	{"stack FILE --at 60% --location 1", 4},
	{"find FILE --after 40% --region MPI_Send", 4},
	{"find FILE --before 60% --region MPI_Send", 4},
	{"find FILE --after 40% --kind MpiSend", 4},
	{"find FILE --longest 3", 4},
	{"find FILE --unmatched", 4},
	{"timeline FILE -o OUT", 4},
	{"timeline FILE -o OUT --from 30% --to 31%", 4},
	{"timeline FILE --json", 4},
	{"cat FILE", 4},
	{"cat FILE --definitions", 4},
	{"cat FILE --from 40% --to 41% --location 1", 4},
	{"export FILE --format csv -o OUT --tables calls --from 40% --to 41%", 4},
	{"export FILE --format csv -o OUT --tables calls,messages,events --from 40% --to 41%", 4},
	{"cluster FILE --by tree --json", 4},
	{"tree FILE --json", 4},
	{"fold FILE --by all --json", 4},
	{"hotspots FILE --json", 4},
	{"hotspots FILE --waits --from 40% --to 41%", 8},
	{"hotspots FILE --critical-path --from 40% --to 41%", 8},
	{"patterns FILE --json", 3},
	{"annotations FILE --json", 3},
	{"topologies FILE --json", 3},
	{"shapes FILE --json", 8},
	{"find FILE --unusual 3", 8},
	{"query FILE calls --by name --show count(),sum(duration) --from 40% --to 41%", 3},
	{"verify FILE", 4},
	{"verify FILE --deep", 4},
}

// Each verb that reads a Pando file of any place reads one on a server in few rounds, and says the same as of a file on this machine.
func TestRoundsOfVerbs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "skew.pando")
	output(t, "convert", tracetest.Anchor(t, "otf2.mg.S.16.skew"), file, "--slice-events", "500")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const url = "http://far/skew.pando"
	defer func(before http.RoundTripper) { http.DefaultClient.Transport = before }(http.DefaultClient.Transport)
	var asked []string
	for _, v := range roundsOfVerbs {
		args := func(from, out string) []string {
			return strings.Fields(strings.NewReplacer("FILE", from, "OUT", out).Replace(v.line))
		}
		var far, stderr string
		var code int
		s := &tracetest.FarServer{File: text}
		http.DefaultClient.Transport = s
		dir := t.TempDir()
		rounds := s.Rounds(t, func(*testing.T) { far, stderr, code = pando(args(url, filepath.Join(dir, "away.png"))...) })
		if code != exitOK {
			t.Errorf("%s: exit code %d, %s", v.line, code, stderr)
		}
		t.Logf("%s: %d rounds, %d requests", v.line, rounds, s.Requests.Load())
		if rounds > v.rounds || s.Requests.Load() < 2 {
			t.Errorf("%s takes %d rounds of %d requests, not %d rounds", v.line, rounds, s.Requests.Load(), v.rounds)
		}
		near := output(t, args(file, filepath.Join(dir, "here.png"))...)
		if far = strings.NewReplacer(url, file, "away.png", "here.png").Replace(far); far != near {
			t.Errorf("%s says %.300s, not %.300s", v.line, far, near)
		}
		asked = append(asked, args(file, "")[0])
	}
	for _, c := range newRoot().Commands() {
		if words := strings.Fields(c.Use); len(words) > 1 && words[1] == "FILE" && c.Name() != "serve" && c.Name() != "view" && !slices.Contains(asked, c.Name()) {
			t.Errorf("the rounds of %s are not counted", c.Name())
		}
	}
}
