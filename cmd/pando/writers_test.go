package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pandotrace/pando/internal/claim"
)

// outputVerb is a command line that writes, and what it writes.
type outputVerb struct {
	name  string
	args  []string
	part  string // the file or folder that is there meanwhile
	made  string // and the one at the end; empty if that is for another test
	sound func(t *testing.T, path string)
}

// outputVerbs returns all ways to write, into a folder.
func outputVerbs(t *testing.T, dir string) []outputVerb {
	from := converted(t, "otf2.mg.S.8.snapmark")
	first, second := halves(t, from)
	at := func(name string) string { return filepath.Join(dir, name) }
	whole := func(t *testing.T, path string) { output(t, "verify", path) }
	small := []string{"--slice-events", "200"} // there is much to write
	pando := func(name, out string, args ...string) outputVerb {
		return outputVerb{name, append(append([]string{name}, args...), small...), out + ".part", out, whole}
	}
	recovered := pando("recover", at("r.pando"), from, at("r.pando"))
	recovered.args = recovered.args[:3]
	return []outputVerb{
		pando("convert", at("a.pando"), from, at("a.pando")),
		pando("concat", at("c.pando"), first, second, "-o", at("c.pando")),
		pando("merge", at("m.pando"), from, from, "-o", at("m.pando")),
		recovered,
		{"archive", []string{"convert", from, at("o.otf2")}, at("o.part"), at("o.otf2"), archiveIsSound},
		{"events", []string{"convert", from, at("e.json")}, at("e.json.part"), at("e.json"), notEmpty},
		{"chrome", []string{"export", from, "-o", at("w.json")}, at("w.json.part"), at("w.json"), notEmpty},
		{"tables", []string{"export", from, "--format", "csv", "-o", at("t"), "--tables", "calls,events"}, at("t/events.csv.part"), at("t/events.csv"), notEmpty},
		{"dataset", []string{"export", from, "--format", "csv", "-o", at("d"), "--tables", "events", "--partition", "20ms"}, at("d/events.part"), at("d/events"), notEmpty},
		{"picture", []string{"timeline", from, "-o", at("p.png")}, at("p.png.part"), at("p.png"), notEmpty},
		{"answer", []string{"window", from, "-o", at("w.csv"), "--calls"}, at("w.csv.part"), at("w.csv"), notEmpty},
	}
}

// halves cuts a trace in two.
func halves(t *testing.T, path string) (first, second string) {
	t.Helper()
	first, second = path+".first.pando", path+".second.pando"
	shared.Lock()
	defer shared.Unlock()
	if !shared.converted[first] {
		output(t, "convert", path, first, "--to", "50%")
		output(t, "convert", path, second, "--from", "50%")
		shared.converted[first] = true
	}
	return first, second
}

func archiveIsSound(t *testing.T, path string) {
	t.Helper()
	back := path + ".pando"
	output(t, "convert", path, back)
	output(t, "verify", back)
}

func notEmpty(t *testing.T, path string) {
	t.Helper()
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("%s: %v, %v", path, info, err)
	}
}

// ended is how a process ended.
type ended struct {
	pid, code int
	stderr    string
}

func start(t *testing.T, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	cmd, text := exec.Command("pando", args...), &bytes.Buffer{}
	cmd.Stderr = text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, text
}

func wait(cmd *exec.Cmd, text *bytes.Buffer) ended {
	_ = cmd.Wait() // the code says it
	return ended{cmd.Process.Pid, cmd.ProcessState.ExitCode(), text.String()}
}

// waitFor waits until a file is there, or the process that makes it has ended; false if it has.
func waitFor(t *testing.T, path string, cmd *exec.Cmd) bool {
	t.Helper()
	for range 100_000 {
		if _, err := os.Lstat(path); err == nil {
			return true
		}
		if s := state(cmd.Process.Pid); s == "Z" || s == "" {
			return false
		}
		time.Sleep(50 * time.Microsecond)
	}
	t.Fatalf("%s never came", path)
	return false
}

// While one process writes an output, no other one does: it is refused, and told which process writes. The first one is stopped meanwhile,
// so that it is not done before the others look.
func TestSecondWriterIsRefused(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells who has locked a file")
	}
	dir := t.TempDir()
	for _, v := range some(outputVerbs(t, dir), "convert", "archive") {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			first, text := stoppedWriter(t, v)
			for _, more := range [][]string{nil, {"--discard"}} {
				got := wait(start(t, append(v.args, more...)...))
				if got.code != exitIO || !strings.Contains(got.stderr, fmt.Sprintf("process %d (", first.Process.Pid)) || !strings.Contains(got.stderr, " is writing it") {
					t.Errorf("%v: exit code %d, %s", more, got.code, got.stderr)
				}
			}
			if err := first.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if got := wait(first, text); got.code != exitOK {
				t.Fatalf("the first writer: exit code %d, %s", got.code, got.stderr)
			}
			v.sound(t, v.made)
			if _, err := os.Lstat(v.part); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: %v", v.part, err)
			}
		})
	}
}

// some returns the ways to write of these names, or all where everything is tried.
func some(verbs []outputVerb, names ...string) []outputVerb {
	if os.Getenv("PANDO_SOAK") != "" {
		return verbs
	}
	return slices.DeleteFunc(verbs, func(v outputVerb) bool { return !slices.Contains(names, v.name) })
}

// Every verb that writes is refused while somebody else, here the test, writes what it is to write, and leaves that alone.
func TestEveryVerbIsRefused(t *testing.T) {
	for _, v := range outputVerbs(t, t.TempDir()) {
		path := strings.TrimSuffix(v.part, ".part")
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		writer, err := claim.Create(path, claim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, more := range [][]string{nil, {"--discard"}} {
			_, stderr, code := pando(append(v.args, more...)...)
			if code != exitIO || !strings.Contains(stderr, " is writing it") {
				t.Errorf("%s %v: exit code %d, %s", v.name, more, code, stderr)
			}
		}
		if _, err := os.Lstat(v.made); err == nil {
			t.Errorf("%s has written", v.name)
		}
		if err := writer.Commit(); err != nil {
			t.Errorf("%s: %v", v.name, err)
		}
	}
}

// stoppedWriter starts a writer and stops it while it writes. Beside other work, many are done before they are seen.
func stoppedWriter(t *testing.T, v outputVerb) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; {
		cmd, text := start(t, v.args...)
		if waitFor(t, v.part, cmd) {
			if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Process.Kill() })
			for deadline := time.Now().Add(time.Minute); !isStopped(cmd.Process.Pid); time.Sleep(50 * time.Microsecond) {
				if time.Now().After(deadline) {
					t.Fatal("the writer does not stop")
				}
			}
			if _, writing := claim.Writer(v.part); writing {
				return cmd, text
			}
			_ = cmd.Process.Signal(syscall.SIGCONT) // it is done already, or has not locked its file yet
		}
		_ = cmd.Wait()
		made, _ := filepath.Glob(strings.TrimSuffix(v.part, ".part") + "*")
		for _, path := range append(made, v.made) {
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Fatal("never fast enough to stop it")
	return nil, nil
}

// state returns the letter by which /proc tells what a process does.
func state(pid int) string {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return rest[:min(1, len(rest))]
}

func isStopped(pid int) bool { s := state(pid); return s == "T" || s == "Z" || s == "" }

// Of many that begin at once to write one output, exactly one comes through, and the file is sound. The errors of the others say who writes, or that
// the file is there.
func TestWritersAtOnce(t *testing.T) {
	trials, writers := 1, 8
	if os.Getenv("PANDO_SOAK") != "" {
		trials = 10
	}
	through, refused, late := 0, 0, 0
	for range trials {
		for _, v := range some(outputVerbs(t, t.TempDir()), "convert", "tables") {
			wins := 0
			for _, e := range atOnce(t, v.args, writers) {
				switch {
				case e.code == exitOK:
					wins++
				case e.code == exitIO && strings.Contains(e.stderr, " is writing it"):
					refused++
				case e.code == exitIO && (strings.Contains(e.stderr, "exists") || strings.Contains(e.stderr, "not empty")):
					late++
				default:
					t.Errorf("%s: exit code %d, %s", v.name, e.code, e.stderr)
				}
			}
			if wins != 1 {
				t.Errorf("%s: %d of %d writers came through", v.name, wins, writers)
			}
			through += wins
			v.sound(t, v.made)
			if _, err := os.Lstat(v.part); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s: %v", v.part, err)
			}
		}
	}
	t.Logf("%d trials of %d writers: %d came through, %d were told who writes, %d that the output is there", trials, writers, through, refused, late)
	if refused == 0 {
		t.Error("no two wrote at the same time")
	}
}

// atOnce runs a command line several times at once.
func atOnce(t *testing.T, args []string, n int) []ended {
	t.Helper()
	all := make([]ended, n)
	var running sync.WaitGroup
	for i := range all {
		cmd, text := start(t, args...)
		running.Go(func() { all[i] = wait(cmd, text) })
	}
	running.Wait()
	return all
}

// A signal by which a user, a terminal or a system ends a process removes what is being written, and has an exit code of its own.
func TestSignals(t *testing.T) {
	for s, code := range map[syscall.Signal]int{syscall.SIGHUP: 129, syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		if signal.Ignored(s) {
			t.Logf("%v is ignored here, and cannot be tried", s)
			continue
		}
		for _, v := range some(outputVerbs(t, t.TempDir()), "convert", "answer") {
			t.Run(fmt.Sprintf("%v/%s", s, v.name), func(t *testing.T) {
				t.Parallel()
				cmd, text := stoppedWriter(t, v)
				if err := errors.Join(cmd.Process.Signal(s), cmd.Process.Signal(syscall.SIGCONT)); err != nil {
					t.Fatal(err)
				}
				if got := wait(cmd, text); got.code != code {
					t.Errorf("exit code %d, want %d: %s", got.code, code, got.stderr)
				}
				for _, path := range []string{v.part, v.made} {
					if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
						t.Errorf("%s is left: %v", path, err)
					}
				}
			})
		}
	}
}

// Under nohup, the end of the terminal does not end the work.
func TestIgnoredHangup(t *testing.T) {
	v := outputVerbs(t, t.TempDir())[0]
	v.args = append([]string{"-c", `trap "" HUP; exec pando "$@"`, "sh"}, v.args...)
	cmd, text := exec.Command("sh", v.args...), &bytes.Buffer{}
	cmd.Stderr = text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !waitFor(t, v.part, cmd) {
		t.Fatal("it was done too soon")
	}
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if got := wait(cmd, text); got.code != exitOK {
		t.Errorf("exit code %d, %s", got.code, got.stderr)
	}
	v.sound(t, v.made)
}

// What a writer that was killed has left is in the way until it is discarded. The command that the error names saves what is in it.
func TestKilledWriter(t *testing.T) {
	for _, v := range some(outputVerbs(t, t.TempDir()), "convert") {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			cmd, text := stoppedWriter(t, v)
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			wait(cmd, text)
			again := [][]string{v.args}
			if v.name != "recover" && v.name != "dataset" {
				again = append(again, append(v.args, "--force"))
			}
			for _, args := range again {
				_, stderr, code := pando(args...)
				if code != exitIO || !strings.Contains(stderr, v.part) && v.name != "tables" || !strings.Contains(stderr, "was left by a writer that is gone") || !strings.Contains(stderr, "--discard removes it") {
					t.Errorf("%q: exit code %d, %s", args, code, stderr)
				}
				if _, after, named := strings.Cut(stderr, "pando recover "); named {
					command, _, _ := strings.Cut(after, " saves what is in it")
					if out, err := exec.Command("sh", "-c", "pando recover "+command).CombinedOutput(); err == nil || err.(*exec.ExitError).ExitCode() != exitPart {
						t.Errorf("pando recover %s: %v, %s", command, err, out)
					}
				}
			}
			_ = os.Remove(v.made) // by the command
			if _, stderr, code := pando(append(v.args, "--discard")...); code != exitOK {
				t.Errorf("--discard: exit code %d, %s", code, stderr)
			}
			v.sound(t, v.made)
		})
	}
}
