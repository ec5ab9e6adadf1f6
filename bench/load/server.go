package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// server is the process that is asked.
type server struct {
	base string
	cmd  *exec.Cmd
}

func start(o *order) (*server, error) {
	cmd := exec.Command(o.pando, append([]string{"serve", "--quiet", "--listen", "127.0.0.1:0", "--memory", o.memory}, o.paths...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	base, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	if !ok {
		return nil, fmt.Errorf("the server said %q, %w", line, err)
	}
	return &server{strings.TrimSuffix(base, "/v1/traces"), cmd}, nil
}

// stop ends the server as a user would.
func (s *server) stop() {
	_ = s.cmd.Process.Signal(os.Interrupt)
	_ = s.cmd.Wait()
}

// resident returns the process's resident memory in bytes.
func (s *server) resident() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			return n << 10
		}
	}
	return 0
}

// processor returns the processor time that the process has taken.
func (s *server) processor() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	const user, system, tick = 11, 12, 10 * time.Millisecond // proc(5), without the first two fields
	a, _ := strconv.Atoi(fields[user])
	b, _ := strconv.Atoi(fields[system])
	return time.Duration(a+b) * tick
}

// memory is the resident memory while a phase lasts.
type memory struct {
	series  []int64
	end     chan struct{}
	stopped chan struct{}
}

func (s *server) watch() *memory {
	m := &memory{end: make(chan struct{}), stopped: make(chan struct{})}
	go func() {
		defer close(m.stopped)
		ticker := time.NewTicker(100 * time.Millisecond)
		defer ticker.Stop()
		for {
			m.series = append(m.series, s.resident())
			select {
			case <-m.end:
				return
			case <-ticker.C:
			}
		}
	}()
	return m
}

// stop returns the memory in ten parts of the time, the most in each.
func (m *memory) stop() (parts []int64) {
	close(m.end)
	<-m.stopped
	const n = 10
	parts = make([]int64, n)
	for i, b := range m.series {
		p := &parts[i*n/len(m.series)]
		*p = max(*p, b)
	}
	return parts
}
