package lastwords

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A crash in a goroutine of its own, with all output lost, can be read in the file.
func TestLastWords(t *testing.T) {
	if os.Getenv("PANDO_LAST_WORDS") != "" && os.Getenv("PANDO_DIE") != "" {
		go panic("what was said last")
		select {}
	}
	file := filepath.Join(t.TempDir(), "words")
	cmd := exec.Command(os.Args[0], "-test.run=^TestLastWords$")
	cmd.Env = append(os.Environ(), "PANDO_LAST_WORDS="+file, "PANDO_DIE=1")
	if err := cmd.Run(); err == nil {
		t.Fatal("did not die")
	}
	words, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(words), "what was said last") {
		t.Errorf("%q, %v", words, err)
	}
}
