package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var rewritePages = flag.Bool("rewrite", false, "write the outputs of commands into the pages of docs")

const docs = "../../docs"

// runMark marks pages whose commands are run.
const runMark = "<!-- commands: run by go test ./cmd/pando -run Pages; -rewrite renews what they print -->\n"

// TestPages runs the commands of marked pages: blocks of kind console have commands, each after "$ ", and below each what it prints. The
// blocks of a page run in one folder, which has what examples has.
func TestPages(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not on PATH")
	}
	pages, err := filepath.Glob(docs + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), runMark) {
			continue
		}
		tested++
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			checkPage(t, page, string(text))
		})
	}
	if tested == 0 {
		t.Fatal("no page is marked")
	}
}

// checkPage runs the commands of a page, and holds what they print against the page.
func checkPage(t *testing.T, page, text string) {
	dir := pageFolder(t)
	blocks := strings.Split(text, "```console\n")
	for i, block := range blocks[1:] {
		shown, rest, ok := strings.Cut(block, "```\n")
		if !ok {
			t.Fatalf("%s: block %d of commands does not end", page, i+1)
		}
		printed := runBlock(t, dir, shown)
		if printed != shown && !*rewritePages {
			t.Errorf("block %d of commands is\n%s\nin the page, and\n%s\nin fact; run go test ./cmd/pando -run Pages -rewrite", i+1, shown, printed)
		}
		blocks[i+1] = printed + "```\n" + rest
	}
	if changed := strings.Join(blocks, "```console\n"); changed != text && *rewritePages {
		if err := os.WriteFile(page, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// pageFolder returns a folder in which a page's commands run. The program is in its folder bin.
func pageFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "bin"), 0o755)
	}
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "bin", "pando"))
	}
	if err == nil {
		err = os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// runBlock runs the commands of a block and returns the block as it should be.
func runBlock(t *testing.T, dir, block string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(block) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		c := exec.Command("bash", "-c", command)
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "NO_COLOR=1", "TZ=UTC")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.TrimSpace(command), err, out)
		}
		b.WriteString(line)
		b.Write(out)
	}
	return b.String()
}
