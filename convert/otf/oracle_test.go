package otf

import (
	"bytes"
	"compress/flate"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/pandotrace/pando/internal/tracetest"
)

// TestOracle has otfprint, an independent reader, print random traces.
func TestOracle(t *testing.T) {
	program := tracetest.Oracle(t, "otfprint")
	randomTraces(t, func(t *testing.T, seed uint64, files map[string]string) {
		path := write(t, files)
		out, err := exec.Command(program, path).CombinedOutput()
		if err != nil || bytes.Contains(out, []byte("error occurred")) {
			t.Fatalf("otfprint: %v\n%s", err, out[:min(len(out), 3000)])
		}
		compareDumps(t, printed(t, mustOpen(t, path, Options{})), parseDump(string(out)))
	})
}

// TestRandomRoundTrip converts random traces, in windows of any size, and compares what comes back.
func TestRandomRoundTrip(t *testing.T) {
	randomTraces(t, func(t *testing.T, seed uint64, files map[string]string) {
		path := write(t, files)
		file := converted(t, mustOpen(t, path, Options{WindowBytes: 16 << (seed % 10)}))
		compareSources(t, file, mustOpen(t, path, Options{}))
	})
}

// TestCompressed compares compressed files with plain ones.
func TestCompressed(t *testing.T) {
	randomTraces(t, func(t *testing.T, seed uint64, files map[string]string) {
		r := rand.New(rand.NewPCG(seed, 3))
		packed := map[string]string{}
		for end, text := range files {
			if end != ".otf" && r.IntN(4) > 0 {
				packed[end+".z"] = compressed(text, 20+r.IntN(3000), r.IntN(3) == 0)
			} else {
				packed[end] = text
			}
		}
		compareSources(t, mustOpen(t, write(t, packed), Options{}), mustOpen(t, write(t, files), Options{}))
	})
}

// compressed packs a text as the OTF library does: it flushes after each block, so that the next one does not refer to it, and never
// ends the stream; other programs do end it.
func compressed(text string, block int, ended bool) string {
	out := bytes.NewBufferString("\x78\x9c")
	w, err := flate.NewWriter(out, 1)
	if err != nil {
		panic(err)
	}
	for len(text) > 0 {
		w.Reset(out)
		n := min(block, len(text))
		w.Write([]byte(text[:n]))
		w.Flush()
		text = text[n:]
	}
	if ended {
		out.WriteString("\x03\x00" + strings.Repeat("\xaa", 4)) // an empty last block, and a checksum that nobody looks at
	}
	return out.String()
}
