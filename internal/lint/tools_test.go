package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// staticcheck returns the path of the staticcheck that go.mod names, built.
func staticcheck(t *testing.T) string {
	t.Helper()
	out, err := run(root(t), "go", "tool", "-n", "staticcheck")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestTools(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: vet and staticcheck load the whole module")
	}
	for _, command := range [][]string{
		{"go", "vet", "./..."},
		{staticcheck(t), "./..."},
	} {
		if _, err := run(root(t), command...); err != nil {
			t.Error(err)
		}
	}
}

// TestToolsComplain runs the tools on a module that each of them should object to, so that they are known to look.
func TestToolsComplain(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module wrong\n\ngo 1.26\n")
	write("wrong.go", `package wrong

import "fmt"

func unused() { fmt.Printf("%d", "text") }
`)
	for want, command := range map[string][]string{
		"wrong type": {"go", "vet", "./..."},
		"U1000":      {staticcheck(t), "./..."},
	} {
		if _, err := run(dir, command...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want a complaint with %q", command[0], err, want)
		}
	}
}
