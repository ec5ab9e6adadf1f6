package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// steered is a program that makes as many calls as each line says that it is given.
type steered struct {
	*exec.Cmd
	in  io.Writer
	out *bufio.Reader
}

// steeredProgram compiles it.
func steeredProgram(t *testing.T) (program string) {
	t.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed")
	}
	program = filepath.Join(t.TempDir(), "steered")
	if out, err := exec.Command(gcc, "-std=c99", "-D_GNU_SOURCE", "-O1", "-I../../recorder", "-o", program, "../../recorder/testdata/steered.c", "-pthread").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// startSteered starts it. It is killed when the test ends.
func startSteered(t *testing.T, program string, variables ...string) *steered {
	t.Helper()
	s := &steered{Cmd: exec.Command(program)}
	s.Env = append(os.Environ(), variables...)
	in, err := s.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.StdoutPipe()
	if err == nil {
		err = s.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Process.Kill() })
	s.in, s.out = in, bufio.NewReader(out)
	return s
}

// calls has it make some calls, and waits for them.
func (s *steered) calls(t *testing.T, n int) {
	t.Helper()
	fmt.Fprintln(s.in, n)
	if _, err := s.out.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
}

// A program is looked at, paused, filtered and copied while it runs, and each refusal has a reason and an exit code.
func TestRecordControl(t *testing.T) {
	program, dir := steeredProgram(t), t.TempDir()
	folder, file := filepath.Join(dir, "run.d"), filepath.Join(dir, "now.pando")
	refused := func(code int, says string, args ...string) {
		t.Helper()
		if _, said, got := pando(append([]string{"record", "ctl"}, args...)...); got != code || !strings.Contains(said, says) {
			t.Errorf("pando record ctl %s: code %d, %s", strings.Join(args, " "), got, said)
		}
	}
	refused(exitIO, "no such file", folder, "status")
	refused(exitUsage, "DIR and what to do are needed", folder)
	refused(exitUsage, `"stop" is none of`, folder, "stop")
	refused(exitUsage, "filter needs RULES", folder, "filter")
	refused(exitUsage, "--last is for snapshot", folder, "pause", "--last", "1s")
	refused(exitUsage, "-o OUT is needed", folder, "snapshot")
	refused(exitBad, "no program records", dir, "pause")

	cmd := startSteered(t, program, "PANDO_DIR="+folder, "PANDO_BUDGET=4M", "PANDO_RANKS=1")
	type process struct {
		State, Asked, Filter string
		Rank                 *int
		PID                  int
		Done                 *bool
		Waiting              bool
		Calls                int
		Used                 int `json:"used_bytes"`
	}
	ask := func(args ...string) process {
		t.Helper()
		var f struct{ Processes []process }
		if err := json.Unmarshal([]byte(output(t, append([]string{"record", "ctl", folder, "--wait", "10ms", "--json"}, args...)...)), &f); err != nil || len(f.Processes) != 1 {
			t.Fatalf("%v, %v", f, err)
		}
		return f.Processes[0]
	}
	cmd.calls(t, 100)
	if p := ask("status"); p.State != "running" || p.Calls != 100 || p.PID != cmd.Process.Pid || p.Rank == nil || p.Used <= 0 {
		t.Errorf("%+v", p)
	}
	if p := ask("pause"); !p.Waiting || p.Asked != "pause" || p.Done == nil || *p.Done {
		t.Errorf("%+v", p)
	}
	cmd.calls(t, 10)
	if p := ask("status"); p.State != "paused" || p.Waiting || p.Calls != 110 {
		t.Errorf("%+v", p)
	}
	ask("resume")
	cmd.calls(t, 5)
	ask("filter", "!inner")
	cmd.calls(t, 3)
	if p := ask("status"); p.State != "running" || p.Filter != "!inner" {
		t.Errorf("%+v", p)
	}
	if text := output(t, "record", "ctl", folder, "status"); !strings.Contains(text, "running") || !strings.Contains(text, "!inner") || !strings.Contains(text, "pauses were left out") {
		t.Errorf("status says\n%s", text)
	}
	output(t, "record", "ctl", folder, "snapshot", "-o", file)
	if n := told(t, file, "calls"); n != 106 { // 105 and the one that is open
		t.Errorf("%v calls", n)
	}
	output(t, "verify", file, "--deep")
	refused(exitIO, "exists", folder, "snapshot", "-o", file)
	refused(exitUsage, "--last soon is no time", folder, "snapshot", "-f", "-o", file, "--last", "soon")
	if os.Geteuid() != 0 { // for whom all files can be written
		os.Chmod(filepath.Join(folder, "0.pandorec"), 0o444)
		refused(exitIO, "cannot be steered, for which its recording must be written", folder, "pause")
	}
	cmd.Process.Kill()
	cmd.Wait()
	refused(exitBad, "no program records into it any more: 0 have ended, and 1 died", folder, "pause")
	refused(exitBad, "pando convert", folder, "snapshot", "-f", "-o", file)
	if p := ask("status"); p.State != "died" {
		t.Errorf("%+v", p)
	}
}

// All processes are asked at once: one that has no calls takes nothing from the time of the others.
func TestRecordControlAsksAllAtOnce(t *testing.T) {
	program, folder := steeredProgram(t), filepath.Join(t.TempDir(), "run.d")
	const ranks, wait = 4, time.Second
	for rank := range ranks {
		cmd := startSteered(t, program, "PANDO_DIR="+folder, "PANDO_BUDGET=1M", fmt.Sprint("PANDO_RANK=", rank), fmt.Sprint("PANDO_RANKS=", ranks), "PANDO_RUN=1")
		cmd.calls(t, 1) // it records
		if rank == ranks-1 {
			stop := make(chan bool)
			defer close(stop)
			go func() { // calls, half of the time after ctl has begun to wait
				for {
					select {
					case <-stop:
						return
					case <-time.After(wait / 2):
						fmt.Fprintln(cmd.in, 1)
					}
				}
			}()
		}
	}
	begin := time.Now()
	var f struct {
		Processes []struct {
			Done    *bool
			Waiting bool
		}
	}
	if err := json.Unmarshal([]byte(output(t, "record", "ctl", folder, "pause", "--wait", wait.String(), "--json")), &f); err != nil || len(f.Processes) != ranks {
		t.Fatalf("%v, %v", f, err)
	}
	for rank, p := range f.Processes {
		if last := rank == ranks-1; p.Done == nil || *p.Done != last || p.Waiting == last {
			t.Errorf("rank %d: %+v", rank, p)
		}
	}
	if took := time.Since(begin); took > 2*wait {
		t.Errorf("it took %v", took)
	}
}

// Of processes some of which run on other hosts, those of this one pause, each says what became of it, and the exit code tells that others could not be asked.
func TestRecordControlInPart(t *testing.T) {
	program, folder := steeredProgram(t), filepath.Join(t.TempDir(), "run.d")
	var near *steered
	for rank := range 3 {
		cmd := startSteered(t, program, "PANDO_DIR="+folder, "PANDO_BUDGET=1M", fmt.Sprint("PANDO_RANK=", rank), "PANDO_RANKS=3", "PANDO_RUN=1")
		cmd.calls(t, 1)
		if rank == 1 {
			near = cmd
			continue
		}
		f, err := os.OpenFile(filepath.Join(folder, fmt.Sprint(rank, ".pandorec")), os.O_WRONLY, 0)
		if err == nil {
			const atHost = 256
			_, err = f.WriteAt([]byte("far\x00"), atHost)
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	go func() { // a call while ctl waits
		time.Sleep(50 * time.Millisecond)
		fmt.Fprintln(near.in, 1)
	}()
	out, said, code := pando("record", "ctl", folder, "pause", "--wait", "20s", "--json")
	var f struct {
		Processes []struct {
			Asked, State, Refused string
			Done                  *bool
		}
	}
	if err := json.Unmarshal([]byte(out), &f); err != nil || len(f.Processes) != 3 || code != exitPart {
		t.Fatalf("code %d, %v, %s, %s", code, err, out, said)
	}
	for rank, p := range f.Processes {
		if local := rank == 1; p.Asked != "pause" || (p.Done != nil && *p.Done) != local || strings.Contains(p.Refused, "runs on the host far") == local || local && p.State != "paused" {
			t.Errorf("rank %d: %+v", rank, p)
		}
		if want := fmt.Sprint("rank ", rank, " "); strings.Contains(said, want) == (rank == 1) {
			t.Errorf("it says %s", said)
		}
	}
	if text, _, code := pando("record", "ctl", folder, "resume", "--wait", "10ms"); code != exitPart || strings.Count(text, "resume: not possible") != 2 {
		t.Errorf("code %d\n%s", code, text)
	}
}
