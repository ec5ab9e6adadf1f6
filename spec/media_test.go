package spec

import (
	"encoding/xml"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const mediaType = "application/vnd.pando.trace"

// ofPath returns the path of a program, or skips the test.
func ofPath(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	return path
}

func output(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", program, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// file(1) tells files and their version by the entry for it, and nothing else by it.
func TestMagic(t *testing.T) {
	file := ofPath(t, "file")
	magic, vector := filepath.Join("v1", "media", "pando.magic"), filepath.Join("v1", "vectors", "one-event.pando")
	minor := filepath.Join("v1", "vectors", "unknown-minor-version.pando")
	for _, c := range []struct{ args, want string }{
		{"-b -m " + magic + " " + vector, "Pando event trace, format version 1.0"},
		{"-b -m " + magic + " " + minor, "Pando event trace, format version 1.7"},
		{"-b --mime-type -m " + magic + " " + vector, mediaType},
	} {
		if got := output(t, file, strings.Fields(c.args)...); got != c.want {
			t.Errorf("file %s: %q, want %q", c.args, got, c.want)
		}
	}
	if got := output(t, file, "-b", "-m", magic, filepath.Join("v1", "vectors", "bad-magic.pando")); strings.Contains(got, "Pando") {
		t.Errorf("a file without the magic: %s", got)
	}
}

// The entry for desktops is XML, and update-mime-database makes a name, an ending and the magic of it.
func TestSharedMimeInfo(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("v1", "media", "pando.xml"))
	if err != nil {
		t.Fatal(err)
	}
	var info struct {
		Type struct {
			Name string `xml:"type,attr"`
			Glob struct {
				Pattern string `xml:"pattern,attr"`
			} `xml:"glob"`
		} `xml:"mime-type"`
	}
	if err := xml.Unmarshal(b, &info); err != nil || info.Type.Name != mediaType || info.Type.Glob.Pattern != "*.pando" {
		t.Fatalf("%+v: %v", info, err)
	}
	update := ofPath(t, "update-mime-database")
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "packages"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "packages", "pando.xml"), b, 0o666); err != nil {
		t.Fatal(err)
	}
	output(t, update, dir)
	for name, want := range map[string]string{"globs2": mediaType + ":*.pando", "magic": "\x89PND\r\n\x1a\n", "types": mediaType} {
		if made, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(made), want) {
			t.Errorf("%s does not have %q: %q, %v", name, want, made, err)
		}
	}
}
