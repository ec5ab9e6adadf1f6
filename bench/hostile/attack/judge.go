package attack

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

var quiet = log.New(io.Discard, "", 0)

// listed returns the paths of all that is in a folder, but for temporary files.
func listed(dir string) (map[string]bool, error) {
	all := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		all[name] = true
		return err
	})
	return all, err
}

// judge returns what is wrong with an outcome, "" for nothing.
func (t *try) judge(o *outcome, dir string, before map[string]bool) string {
	return cmp.Or(o.crash(), t.excess(o), t.litter(o, dir, before), o.unprintable(t), t.unclear(o), t.broken(o), t.checked(o))
}

// crash tells of an end that no input may bring about.
func (o *outcome) crash() string {
	for _, sign := range []string{"panic:", "fatal error:", "goroutine ", "runtime error", "unexpected fault address", "SIGBUS", "SIGSEGV"} {
		if at := strings.Index(o.stderr, sign); at >= 0 {
			return fmt.Sprintf("crash: %.400s", o.stderr[at:])
		}
	}
	if o.ended == "" && o.signal != 0 {
		return "crash: " + o.signal.String()
	}
	return ""
}

func (t *try) excess(o *outcome) string {
	switch most := cmp.Or(t.memory, mostMemory); {
	case o.ended != "":
		return "excess: " + o.ended
	case o.memory > most:
		return fmt.Sprintf("excess: %d MB of memory", o.memory>>20)
	case o.cpu > mostCPU:
		return fmt.Sprintf("excess: %.1f s of a processor", o.cpu)
	}
	return ""
}

// litter tells of files that should not be there: only outputs of what went well may appear.
func (t *try) litter(o *outcome, dir string, before map[string]bool) string {
	now, err := listed(dir)
	if err != nil {
		return "the folder cannot be listed: " + err.Error()
	}
	for path := range now {
		if isEmptyFolder(filepath.Join(dir, path)) && !strings.HasPrefix(path, tempFolder) {
			continue
		}
		isOutput := !strings.HasPrefix(path, tempFolder) && (o.code == 0 || o.code == 4 || isTable(t, path)) && !strings.HasSuffix(path, ".part")
		if !before[path] && !isOutput {
			return fmt.Sprintf("litter: %.100q was left behind", path)
		}
		if filepath.Base(path) == "evil" {
			return "written outside: " + path
		}
	}
	for path := range before {
		if !now[path] {
			return fmt.Sprintf("litter: %.100q was removed", path)
		}
	}
	return ""
}

// isTable reports whether a path may be a table of an export, or their folder: each is complete by itself, and stays if a later one fails.
func isTable(t *try, path string) bool {
	return t.args[0] == "export" && (path == "out" || filepath.Dir(path) == "out")
}

// isEmptyFolder reports whether a path is a folder without anything in it: one that was made for an output that came to nothing.
func isEmptyFolder(path string) bool {
	entries, err := os.ReadDir(path)
	return err == nil && len(entries) == 0
}

// unprintable tells of bytes that a terminal would obey, or could not show.
func (o *outcome) unprintable(t *try) string {
	for name, text := range map[string]string{"standard output": o.stdout, "standard error": o.stderr} {
		if strings.Contains(strings.Join(t.args, " "), "--json") && name == "standard output" {
			continue // for programs, and held against JSON's grammar elsewhere
		}
		if len(text) >= mostOutput {
			text = strings.ToValidUTF8(text, "")
		}
		for at, r := range text {
			if r == '\n' || unicode.IsPrint(r) && (r != utf8.RuneError || strings.HasPrefix(text[at:], "\ufffd")) {
				continue
			}
			return fmt.Sprintf("unprintable: %s has %.60q", name, text[at:])
		}
	}
	return ""
}

var place = regexp.MustCompile(` at offset [0-9]+(:|,| )`)

// unclear tells of an error that is not one line, or does not say where.
func (t *try) unclear(o *outcome) string {
	text := strings.TrimSuffix(o.stderr, "\n")
	usage := o.code == 2
	switch {
	case o.code == 0 && t.must == refuse:
		return "silent: accepted"
	case o.code == 0 || o.code == 4:
		return ""
	case !strings.HasPrefix(text, "pando: ") && !strings.Contains(text, "\npando: "):
		return fmt.Sprintf("unclear: no error on standard error: %.200q", text)
	case !usage && strings.Count(text, "\n") > 0 && !strings.HasPrefix(text, "pando: "):
		return ""
	case !usage && strings.Count(text, "\n") > 0:
		return fmt.Sprintf("unclear: an error of several lines: %.200q", text)
	case t.must == answer:
		return fmt.Sprintf("refused: %.300s", text)
	case o.code == 1 && t.placed && t.args[0] != "verify" && !place.MatchString(text):
		return fmt.Sprintf("unclear: no section and offset: %.300s", text)
	case o.code == 1 && t.input != "" && t.args[0] != "verify" && !strings.Contains(text, t.input):
		return fmt.Sprintf("unclear: the file is not named: %.300s", text)
	}
	return ""
}

// broken tells of an answer that is not what it has to be.
func (t *try) broken(o *outcome) string {
	switch {
	case o.code != 0:
	case t.must == sameOr && len(o.stdout) < mostOutput && o.stdout != t.want:
		return "silent: an answer that differs from that of the sound file"
	case t.must == notSilent && eventsOf(o.stdout) != t.events && !warned(o.stdout):
		return fmt.Sprintf("silent: %s of %s events, and no warning", eventsOf(o.stdout), t.events)
	}
	return ""
}

func (t *try) checked(o *outcome) string {
	if t.check == nil {
		return ""
	}
	return t.check(o)
}
