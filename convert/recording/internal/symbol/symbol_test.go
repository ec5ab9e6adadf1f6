package symbol

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/pandotrace/pando/internal/lastwords"
)

// compiled builds a program with functions in namespaces, templates, and static ones.
func compiled(t testing.TB, flags ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.out")
	args := append([]string{"-g", "-O1", "-o", path, "testdata/names.cc"}, flags...)
	if out, err := exec.Command("g++", args...).CombinedOutput(); err != nil {
		t.Skipf("g++: %v %s", err, out)
	}
	return path
}

// symbolsOf lists what nm says of the functions of a program.
func symbolsOf(t *testing.T, path string) map[uint64][]string {
	t.Helper()
	out, err := exec.Command("nm", "-C", "--defined-only", path).Output()
	if err != nil {
		t.Skipf("nm: %v", err)
	}
	list := map[uint64][]string{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		f := strings.SplitN(s.Text(), " ", 3)
		if at, err := strconv.ParseUint(f[0], 16, 64); err == nil && strings.ContainsAny(f[1], "tTwW") {
			list[at] = append(list[at], f[2])
		}
	}
	return list
}

// Functions have the names that nm gives them, and the lines at which the source declares them.
func TestNames(t *testing.T) {
	for _, flags := range [][]string{nil, {"-no-pie"}, {"-gdwarf-4"}, {"-gz"}} {
		path := compiled(t, flags...)
		listed, named := symbolsOf(t, path), 0
		var addresses []uint64
		for at := range listed {
			addresses = append(addresses, at)
		}
		found, err := Find(path, nil, addresses)
		if err != nil {
			t.Fatal(err)
		}
		for at, names := range listed {
			x := found[at]
			if !strings.Contains(strings.Join(names, "|"), "names") { // others are the runtime's
				continue
			}
			named++
			if !contains(names, x.Name) || filepath.Base(x.File) != "names.cc" || !declaredIn(t, x) {
				t.Errorf("%v: %q is %s in %s, line %d", flags, names, x.Name, x.File, x.Line)
			}
		}
		if named != 4 {
			t.Errorf("%v: %d functions", flags, named)
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// declaredIn reports whether a function's line in the source says its name.
func declaredIn(t *testing.T, x Function) bool {
	t.Helper()
	b, err := os.ReadFile("testdata/names.cc")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(b), "\n")
	name, _, _ := strings.Cut(x.Name, "(")
	name = name[strings.LastIndexAny(name, ": ")+1:]
	return x.Line > 0 && int(x.Line) <= len(lines) && strings.Contains(lines[x.Line-1], name)
}

// What is no such file gives an error, and no names.
func TestOthers(t *testing.T) {
	path := compiled(t)
	if _, err := Find(path, []byte("another"), []uint64{1}); err == nil || !strings.Contains(err.Error(), "build id") {
		t.Errorf("another build id: %v", err)
	}
	for _, path := range []string{"testdata/names.cc", "testdata", "/dev/zero", "nowhere"} {
		if found, err := Find(path, nil, []uint64{1}); err == nil || len(found) > 0 {
			t.Errorf("%s: %v, %v", path, found, err)
		}
	}
}

// Lines are those of addr2line, wherever in functions.
func TestLines(t *testing.T) {
	for _, flags := range [][]string{nil, {"-no-pie"}, {"-gdwarf-4", "-O2"}, {"-gz"}} {
		path := compiled(t, flags...)
		var addresses []uint64
		var text []string
		for at := range symbolsOf(t, path) {
			for i := range uint64(40) {
				addresses, text = append(addresses, at+i), append(text, strconv.FormatUint(at+i, 16))
			}
		}
		out, err := exec.Command("addr2line", append([]string{"-e", path}, text...)...).Output()
		if err != nil {
			t.Skipf("addr2line: %v", err)
		}
		found, err := Lines(path, nil, addresses)
		if err != nil {
			t.Fatal(err)
		}
		compared := 0
		for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			line, _, _ = strings.Cut(filepath.Base(line), " (discriminator")
			x, ok := found[addresses[i]]
			if got := filepath.Base(x.File) + ":" + strconv.FormatUint(x.Line, 10); ok && got != line || !ok && strings.HasPrefix(line, "names.cc:") && !strings.HasSuffix(line, ":?") {
				t.Errorf("%v: %s is at %s, not %s", flags, text[i], got, line)
			} else if ok {
				compared++
			}
		}
		if compared < 50 {
			t.Errorf("%v: %d lines are compared", flags, compared)
		}
	}
	if found, err := Lines("testdata/names.cc", nil, []uint64{1}); err == nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// Whatever the bytes of a file are, nothing worse happens than an error.
func FuzzFind(f *testing.F) {
	f.Add([]byte("\x7fELF\x02\x01\x01"), uint64(0x1139))
	if b, err := os.ReadFile(compiled(f, "-nostdlib", "-Wl,-e0")); err == nil {
		f.Add(b, uint64(0x1139))
	}
	f.Fuzz(func(t *testing.T, b []byte, address uint64) {
		path := filepath.Join(t.TempDir(), "a.out")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if found, _ := Find(path, nil, []uint64{address}); len(found) > 1 {
			t.Errorf("%d functions at one address", len(found))
		}
		if found, _ := Lines(path, nil, []uint64{address}); len(found) > 1 {
			t.Errorf("%d lines at one address", len(found))
		}
	})
}
