package main

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pandotrace/pando/internal/tracetest"
)

func TestMain(m *testing.M) {
	testscript.Main(withFolder{m}, map[string]func(){"pando": main})
}

// withFolder runs tests with a folder for the files that several of them read.
type withFolder struct{ *testing.M }

// shared has the folder, and the traces that were converted into it.
var shared struct {
	sync.Mutex
	dir       string
	converted map[string]bool
}

// Run runs the tests and removes the folder.
func (m withFolder) Run() int {
	var err error
	if shared.dir, err = os.MkdirTemp("", "pando-test-"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(shared.dir)
	shared.converted = map[string]bool{}
	return m.M.Run()
}

// traces are what scripts find in variables: $MG is an anchor, $MG_PANDO the Pando file made of it.
var traces = map[string]string{"MG": "otf2.mg.S.8.snapmark", "METRIC": "otf2.ep.S.4.metric", "IO": "otf2.ez.hello.4.io", "AMG": "otf2.amg.8.piece",
	"UNKNOWN": "otf2.patched.mg.S.4.unknown-id", "ALL": "otf2.synthetic.allrecords"}

func TestScripts(t *testing.T) {
	packed, err := filepath.Abs(filepath.Join("..", "..", "internal", "tracetest", "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PACKED", packed)
			env.Setenv("EXAMPLES", examples)
			env.Setenv("GOGC", "400") // hundreds of short processes: at the usual rate they collect garbage while they start
			for variable, name := range traces {
				env.Setenv(variable, tracetest.Anchor(t, name))
				env.Setenv(variable+"_PANDO", converted(t, name))
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "patch": patch, "shorten": shorten, "interrupt": interrupt,
		},
		Condition: func(condition string) (bool, error) {
			_, err := os.Stat("/dev/full")
			return err == nil, nil
		},
	})
}

// converted returns a Pando file of a bundled trace. Tests must not change it.
func converted(t testing.TB, name string) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	path := filepath.Join(shared.dir, name+".pando")
	if !shared.converted[name] {
		if _, stderr, code := pando("convert", tracetest.Anchor(t, name), path); code != exitOK {
			t.Fatalf("convert %s: exit code %d, %s", name, code, stderr)
		}
		shared.converted[name] = true
	}
	return path
}

// pando executes a command line within the test's own process.
func pando(args ...string) (stdout, stderr string, code int) {
	var out, err bytes.Buffer
	code = run(args, &out, &err)
	return out.String(), err.String(), code
}

// output is what a command line that must succeed writes.
func output(t *testing.T, args ...string) string {
	t.Helper()
	stdout, stderr, code := pando(args...)
	if code != exitOK || stderr != "" {
		t.Fatalf("%q: exit code %d, %s", args, code, stderr)
	}
	return stdout
}

// code N COMMAND...: the command must end with exit code N. What it writes can be looked at by stdout and stderr.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N COMMAND...")
	}
	err := ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	got := 0
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// patch FILE OFFSET HEX: overwrites bytes.
func patch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: patch FILE OFFSET HEX")
	}
	offset, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	data, err := hex.DecodeString(args[2])
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt(data, offset)
	ts.Check(err)
	ts.Check(f.Close())
}

// shorten FILE N: cuts off the last N bytes.
func shorten(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: shorten FILE N")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), info.Size()-n))
}

// interrupt FILE COMMAND...: interrupts the command as soon as FILE exists, and waits for it to end with exit code 130.
// A command that was done before that is tried again.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: interrupt FILE COMMAND...")
	}
	for range 10 {
		cmd := exec.Command(args[1], args[2:]...)
		cmd.Env = append(os.Environ(), "TMPDIR="+ts.Getenv("TMPDIR"))
		ts.Check(cmd.Start())
		for range 10000 {
			if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
				break
			}
			time.Sleep(100 * time.Microsecond)
		}
		ts.Check(cmd.Process.Signal(os.Interrupt))
		err := cmd.Wait()
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			if exit.ExitCode() != exitInterrupted {
				ts.Fatalf("exit code %d (%v)", exit.ExitCode(), exit.Sys().(syscall.WaitStatus))
			}
			return
		}
		ts.Check(err)
	}
	ts.Fatalf("never fast enough to interrupt it")
}
