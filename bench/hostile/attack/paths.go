package attack

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

var pathKinds = []kind{
	{"file names", "line ends, escapes, dashes, very long; folders, pipes, devices, links in circles, unreadable", 400, oddPath},
	{"file names", "a file that shrinks, grows or changes while it is read", 60, changingFile},
}

// oddPaths are names that files may have.
var oddPaths = []string{"a\nb.pando", "\x1b[31m.pando", "-x.pando", "--help", "-", " ", "a b.pando", "\xff.pando", "\u202e.pando", strings.Repeat("n", 250), "%s%n", "*", "a;b", "http:", "\u0085", "a\tb.pando", "é.pando"}

func oddPath(a *Attack, d dice, dir string) (*try, error) {
	verbs := append(append([][]string{}, printing...), append(writing, checking[:2]...)...)
	verb := pick(d, verbs)
	good := pick(d, a.bases.pando)
	if d.IntN(3) == 0 {
		name := pick(d, oddPaths)
		if err := put(dir, name, good); err != nil {
			return nil, err
		}
		in := name
		if strings.HasPrefix(in, "-") {
			in = "./" + in
		}
		return &try{args: line(verb, in), must: anything}, nil
	}
	if d.IntN(4) == 0 {
		return oddOutput(d, dir, good)
	}
	in, err := special(d, dir, good)
	return &try{args: line(verb, in), must: refuse}, err
}

// special makes something that is no readable file.
func special(d dice, dir string, good []byte) (string, error) {
	var err error
	name := filepath.Join(dir, "in")
	switch d.IntN(9) {
	case 0:
		err = os.Mkdir(name, 0o777)
	case 1:
		err = syscall.Mkfifo(name, 0o666)
	case 2:
		err = os.Symlink("in", name)
	case 3:
		err = os.Symlink("nowhere", name)
	case 4:
		return "/dev/zero", nil
	case 5:
		return "/dev/full", nil
	case 6:
		return strings.Repeat("long/", 1000) + "in", nil
	case 7:
		return pick(d, []string{"", ".", "..", "/", "in/in", "no\nsuch", "\x1b[31m", "http://", "http://[::1", "http://\x7f/", "https://127.0.0.1:1/x", "file:///etc/passwd", "http://127.0.0.1:1/\n"}), nil
	default:
		return "/dev/null", nil
	}
	return "in", err
}

// oddOutput writes to where nothing can be written.
func oddOutput(d dice, dir string, good []byte) (*try, error) {
	out := pick(d, []string{"", ".", "..", "/dev/full", "/dev/null/x", "no/such/folder/x.pando", strings.Repeat("n", 300), "in.pando", "folder", "loop", "a\nb", "/proc/x.pando", "in.pando/x"})
	err := errors.Join(put(dir, file, good), os.Mkdir(filepath.Join(dir, "folder"), 0o777), os.Symlink("loop", filepath.Join(dir, "loop")))
	verb := pick(d, split("convert IN X --format pando", "convert IN X --format pando --force", "recover IN X --format pando", "recover IN X --format pando --force", "convert IN X", "timeline IN --format svg -o X", "timeline IN --format png -o X", "timeline IN -o X", "export IN --format csv -o X", "export IN --format chrome -o X"))
	args := line(verb, file)
	for i := range args {
		if args[i] == "X" {
			args[i] = out
		}
	}
	return &try{args: args, check: func(*outcome) string {
		if now, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !bytes.Equal(now, good) {
			return "the input is another one now"
		}
		return ""
	}}, err
}

// changingFile changes the file while the program runs.
func changingFile(a *Attack, d dice, dir string) (*try, error) {
	good := pick(d, a.bases.pando)
	path, how := filepath.Join(dir, file), d.IntN(3)
	verb := pick(d, append(append([][]string{}, printing...), checking[:2]...))
	return &try{args: line(verb, file), input: file, during: func(stop <-chan struct{}) {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
			switch {
			case how == 0:
				_ = os.Truncate(path, int64(len(good)/(1+i%3))) // a try that fails changes nothing
			case how == 1:
				_ = os.Truncate(path, int64(len(good)+i))
			default:
				_ = os.WriteFile(path, bytes.Repeat([]byte{byte(i)}, len(good)), 0o666)
			}
		}
	}}, put(dir, file, good)
}
