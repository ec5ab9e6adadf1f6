package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// usage is what a program took.
type usage struct {
	Wall time.Duration
	CPU  time.Duration // of all its threads, and of what it started
	Peak int64         // bytes of memory resident at most; about 10 MB are seen in any case
}

// wallSeconds and the like name what of a usage is compared.
func wallSeconds(u usage) float64 { return u.Wall.Seconds() }
func cpuSeconds(u usage) float64  { return u.CPU.Seconds() }
func peakBytes(u usage) float64   { return float64(u.Peak) }

// measured runs a program and returns what it took and printed. The program is started by another instance of this
// one, in between: Linux counts the resident memory of the starting process as memory of the program, and this instance may
// hold a lot.
func (b *bench) measured(stdout io.Writer, env []string, command ...string) (u usage, err error) {
	self, err := os.Executable()
	if err != nil {
		return u, err
	}
	result, write, err := os.Pipe()
	if err != nil {
		return u, err
	}
	defer result.Close()
	cmd := exec.CommandContext(b.ctx, self, append([]string{measureVerb}, command...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), env...)
	cmd.ExtraFiles = []*os.File{write}
	cmd.Stdout = stdout
	err = runQuietly(cmd)
	write.Close()
	if err != nil {
		return u, err
	}
	return u, json.NewDecoder(result).Decode(&u)
}

// runQuietly runs a command; what it wrote to its standard error becomes part of the error.
func runQuietly(cmd *exec.Cmd) error {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, stderr.Bytes())
	}
	return nil
}

// measureVerb as the first argument makes this program the instance in between.
const measureVerb = "measure"

func measureAsked() bool { return len(os.Args) > 2 && os.Args[1] == measureVerb }

// usageFile is the number of the open file that the instance in between writes the usage to.
const usageFile = 3

// measure runs a command and returns its exit code.
func measure(command []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	begin := time.Now()
	err := cmd.Run()
	wall := time.Since(begin)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		return exit.ExitCode()
	}
	if err == nil {
		err = json.NewEncoder(os.NewFile(usageFile, "usage")).Encode(usageOf(cmd.ProcessState, wall))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func usageOf(p *os.ProcessState, wall time.Duration) usage {
	u := usage{Wall: wall, CPU: p.UserTime() + p.SystemTime()}
	if r, ok := p.SysUsage().(*syscall.Rusage); ok {
		u.Peak = int64(r.Maxrss)
		if runtime.GOOS == "linux" {
			u.Peak *= 1024 // there it is in KiB
		}
	}
	return u
}
