package attack

import (
	"bytes"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Bounds of one run of the program. The wall clock only ends what hangs; it judges nothing else.
const (
	mostMemory  = 256 << 20 // resident bytes, for inputs of some kilobytes
	deadlyBytes = 3 << 30   // at which a run is ended, whatever is allowed
	mostCPU     = 20        // seconds of a processor
	mostWall    = 150 * time.Second
	mostOutput  = 4 << 20 // bytes of output that are kept
)

// outcome is what the program did.
type outcome struct {
	command        string
	code           int
	signal         syscall.Signal
	stdout, stderr string
	memory         int64   // peak resident bytes
	cpu            float64 // seconds of a processor
	ended          string  // why the run was ended, "" if it ended itself
	wrong          string
}

// kept is a writer that keeps the begin of what is written.
type kept struct{ bytes.Buffer }

// Write implements io.Writer.
func (k *kept) Write(b []byte) (int, error) {
	if room := mostOutput - k.Len(); room > 0 {
		k.Buffer.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}

// run runs the program in a folder.
func (a *Attack) run(t *try, dir string) (*outcome, error) {
	args := t.args
	if t.server != nil {
		s := httptest.NewUnstartedServer(t.server)
		s.Config.ErrorLog = quiet
		s.Start()
		defer s.Close()
		args = append([]string(nil), args...)
		for i := range args {
			args[i] = strings.Replace(args[i], "{URL}", s.URL, 1)
		}
	}
	if i := nul(args); i >= 0 { // no program can be given it
		args = append([]string(nil), args...)
		args[i] = strings.ReplaceAll(args[i], "\x00", "")
	}
	o := &outcome{command: fmt.Sprintf("%.300q", args)}
	c := a.command(args...)
	c.Dir = dir
	c.Env = append(c.Env, "TMPDIR="+filepath.Join(dir, tempFolder), "HOME="+dir)
	var stdout, stderr kept
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); errors.Is(err, syscall.E2BIG) || errors.Is(err, syscall.EINVAL) {
		o.code, o.stderr = 1, "pando: not started"
		return o, nil
	} else if err != nil {
		return nil, err
	}
	stop := make(chan struct{})
	if t.during != nil {
		go t.during(stop)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	o.watch(c, done)
	close(stop)
	o.stdout, o.stderr = stdout.String(), stderr.String()
	return o, nil
}

func nul(args []string) int {
	for i, arg := range args {
		if strings.Contains(arg, "\x00") {
			return i
		}
	}
	return -1
}

// watch waits for the end of a program, and ends it if it takes too much.
func (o *outcome) watch(c *exec.Cmd, done <-chan error) {
	begin := time.Now()
	for {
		select {
		case err := <-done:
			o.finish(c, err)
			return
		case <-time.After(50 * time.Millisecond):
		}
		resident, cpu := resources(c.Process.Pid)
		switch {
		case resident > deadlyBytes:
			o.ended = fmt.Sprintf("took %d MB of memory", resident>>20)
		case cpu > 3*mostCPU:
			o.ended = fmt.Sprintf("took %.0f s of a processor", cpu)
		case time.Since(begin) > mostWall:
			o.ended = fmt.Sprintf("did not end within %s", mostWall)
		default:
			continue
		}
		_ = c.Process.Kill() // it may have ended just now
		o.finish(c, <-done)
		return
	}
}

func (o *outcome) finish(c *exec.Cmd, err error) {
	o.code = c.ProcessState.ExitCode()
	if status, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		o.signal = status.Signal()
	}
	if usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		o.memory = usage.Maxrss << 10
	}
	o.cpu = (c.ProcessState.UserTime() + c.ProcessState.SystemTime()).Seconds()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && o.ended == "" {
		o.ended = err.Error()
	}
}

// resources returns the resident bytes of a process, and the seconds of a processor that it took; 0 if nobody can tell.
func resources(pid int) (resident int64, cpu float64) {
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid)); err == nil {
		if f := strings.Fields(string(text)); len(f) > 1 {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			resident = n * int64(os.Getpagesize())
		}
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if at := bytes.LastIndexByte(text, ')'); err == nil && at > 0 {
		if f := strings.Fields(string(text[at+1:])); len(f) > 12 {
			user, _ := strconv.ParseFloat(f[11], 64)
			system, _ := strconv.ParseFloat(f[12], 64)
			cpu = (user + system) / 100
		}
	}
	return resident, cpu
}
