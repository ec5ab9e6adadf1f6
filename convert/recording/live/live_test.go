package live_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/convert/recording/live"
	"github.com/pandotrace/pando/record"
	"github.com/pandotrace/pando/trace"
)

func TestMain(m *testing.M) {
	if os.Getenv("PANDO_LIVE_TEST") != "" {
		steered()
		return
	}
	os.Exit(m.Run())
}

// steered does as recorder/testdata/steered.c does.
func steered() {
	r, err := record.Start("", record.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer r.Close()
	outer, inner, l := r.Region("outer"), r.Region("inner"), r.Location("main")
	l.Enter(outer)
	for n := 0; ; {
		if _, err := fmt.Scan(&n); err != nil {
			break
		}
		for range n {
			l.Enter(inner)
			l.Leave()
		}
		l.Send(record.World, 0, 1, uint64(n))
		fmt.Println(n)
	}
	l.Leave()
}

// program is a program that makes calls as its standard input says.
type program struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	dir string
}

func start(t *testing.T, language string) *program {
	t.Helper()
	p := &program{dir: filepath.Join(t.TempDir(), "run.d")}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(self)
	p.cmd.Env = append(os.Environ(), "PANDO_LIVE_TEST=1", "PANDO_DIR="+p.dir, "PANDO_BUDGET=4M")
	if language == "C" {
		gcc, err := exec.LookPath("gcc")
		if err != nil {
			t.Skip("gcc is not installed")
		}
		p.cmd.Path = filepath.Join(t.TempDir(), "steered")
		if out, err := exec.Command(gcc, "-std=c99", "-D_GNU_SOURCE", "-O2", "-I../../../recorder", "-o", p.cmd.Path, "../../../recorder/testdata/steered.c", "-pthread").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	t.Cleanup(func() { p.cmd.Process.Kill(); p.cmd.Wait() })
	return p
}

// calls lets the program make some calls, and waits for them.
func (p *program) calls(t *testing.T, n int) {
	t.Helper()
	fmt.Fprintln(p.in, n)
	if line, err := p.out.ReadString('\n'); err != nil || line != fmt.Sprintln(n) {
		t.Fatalf("%q, %v", line, err)
	}
}

// process finds the one process.
func (p *program) process(t *testing.T, state live.State) *live.Process {
	t.Helper()
	list, err := live.Find(p.dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d processes, %v", len(list), err)
	}
	if list[0].State != state {
		t.Fatalf("it is %s, not %s", list[0].State, state)
	}
	return list[0]
}

// ask asks for something. The program does nothing meanwhile.
func (p *program) ask(t *testing.T, r live.Request) {
	t.Helper()
	list, err := live.Find(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if done, err := live.Ask(ctx, list[0], r); done || err != nil {
		t.Fatalf("a program that has no event has done it: %t, %v", done, err)
	}
	if list, err := live.Find(p.dir); err != nil || !list[0].Waiting {
		t.Fatalf("no request waits, %v", err)
	}
}

// kept counts what a recording holds: calls of inner that were entered and left, messages, begins and ends of pauses; and all calls of inner by the profile.
func kept(t *testing.T, path string) (entered, left, sent, paused, resumed, all int) {
	t.Helper()
	a, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	log, err := a.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	name := trace.NewDefinitions(log).RegionName
	for _, info := range a.Streams() {
		s, err := a.Open(info.StreamID)
		if err != nil {
			t.Fatal(err)
		}
		var b trace.Batch
		for s.Next(&b, 1000) == nil {
			for i, k := range b.Kinds {
				w := b.Fields(i)
				switch {
				case k == trace.KindMpiSend:
					sent++
				case k == trace.KindMeasurementOnOff && w[0] == 2:
					paused++
				case k == trace.KindMeasurementOnOff:
					resumed++
				case name(w[0]) != "inner":
				case k == trace.KindEnter:
					entered++
				case k == trace.KindLeave:
					left++
				case k == trace.KindStatisticsRegion:
					all += int(w[1])
				}
			}
		}
	}
	if w := fmt.Sprint(a.Warnings()); strings.Contains(w, "overlap") || strings.Contains(w, "cannot be read") {
		t.Errorf("%s: warnings %s", path, w)
	}
	return entered, left, sent, paused, resumed, all
}

// Programs in C and Go carry out requests with the next call, exactly, and a snapshot has what there was.
func TestSteered(t *testing.T) {
	for _, language := range []string{"C", "Go"} {
		t.Run(language, func(t *testing.T) {
			p, snapshots := start(t, language), t.TempDir()
			has := func(when string, kept [6]int, want [6]int) {
				t.Helper()
				if kept != want {
					t.Errorf("%s: entered, left, sent, paused, resumed, all: %v, not %v", when, kept, want)
				}
			}
			counts := func(path string) (n [6]int) {
				n[0], n[1], n[2], n[3], n[4], n[5] = kept(t, path)
				return n
			}
			snapshot := func(name string, d time.Duration) string {
				path := filepath.Join(snapshots, name)
				if err := recording.Snapshot(t.Context(), filepath.Join(p.dir, "0.pandorec"), path, recording.Now(), d, nil); err != nil {
					t.Fatal(err)
				}
				return path
			}
			p.calls(t, 100)
			if q := p.process(t, live.Running); q.Calls != 100 || q.Locations != 1 || !q.Steerable || q.PID != p.cmd.Process.Pid || q.Used <= 0 || q.Used > q.Budget {
				t.Errorf("%+v", q.Status)
			}
			has("at the begin", counts(snapshot("a", 0)), [6]int{100, 100, 1, 0, 0, 100})
			p.ask(t, live.Request{Pause: true})
			p.calls(t, 50)
			p.process(t, live.Paused)
			has("paused", counts(snapshot("b", 0)), [6]int{100, 100, 1, 1, 0, 150})
			p.ask(t, live.Request{Resume: true})
			p.calls(t, 10)
			rules, none := "!inn*", ""
			p.ask(t, live.Request{Pause: true})
			p.ask(t, live.Request{Filter: &rules}) // both of them, since neither was looked at
			p.calls(t, 5)
			if q := p.process(t, live.Paused); q.Status.Filter != rules || q.Calls != 165 {
				t.Errorf("%+v", q.Status)
			}
			p.ask(t, live.Request{Resume: true})
			p.calls(t, 7)
			has("filtered", counts(snapshot("c", 0)), [6]int{110, 110, 3, 2, 2, 172})
			p.ask(t, live.Request{Filter: &none})
			p.calls(t, 3)
			early := time.Now()
			time.Sleep(300 * time.Millisecond)
			p.calls(t, 2)
			has("the last", counts(snapshot("d", time.Since(early)-20*time.Millisecond)), [6]int{2, 2, 1, 0, 0, 177})
			p.in.Close()
			if err := p.cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			q := p.process(t, live.Closed)
			has("at the end", counts(q.Path), [6]int{115, 115, 5, 2, 2, 177})
			if b := q.Meta.Loss.Calls(); len(b) != 1 || b[0] != trace.CallsBound(trace.LeftFiltered, 1) {
				t.Errorf("the trace says %v of what is left out", b)
			}
			if _, err := live.Ask(t.Context(), q, live.Request{Pause: true}); err == nil || !strings.Contains(err.Error(), "it has ended its recording") {
				t.Errorf("asked after its end: %v", err)
			}
		})
	}
}

// What cannot be steered says why.
func TestRefused(t *testing.T) {
	p := start(t, "Go")
	p.calls(t, 1)
	q := p.process(t, live.Running)
	long := strings.Repeat("a", 1024)
	old, far := *q, *q
	old.Steerable, far.State, far.Host = false, live.Elsewhere, "away"
	for what, c := range map[string]struct {
		p *live.Process
		r live.Request
	}{
		"it may have 1023":             {q, live.Request{Filter: &long}},
		"heeds no requests":            {&old, live.Request{Pause: true}},
		"it runs on the host away":     {&far, live.Request{Pause: true}},
		"no such file":                 {&live.Process{Status: recording.Status{Process: recording.Process{Path: "none"}, Steerable: true}, State: live.Running}, live.Request{}},
		"somebody else steers it: con": {q, live.Request{Pause: true}},
	} {
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if strings.HasPrefix(what, "somebody") {
			holding := exec.Command("flock", q.Path, "sleep", "10")
			if err := holding.Start(); err != nil {
				t.Skip(err)
			}
			time.Sleep(100 * time.Millisecond)
			ctx, stop = context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer holding.Process.Kill()
		}
		if _, err := live.Ask(ctx, c.p, c.r); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, not %q", err, what)
		}
		stop()
	}
	p.cmd.Process.Kill()
	p.cmd.Wait()
	if _, err := live.Ask(t.Context(), p.process(t, live.Died), live.Request{Pause: true}); err == nil || !strings.Contains(err.Error(), "it died without") {
		t.Error(err)
	}
	for _, dir := range []string{filepath.Join(p.dir, "none"), q.Path, t.TempDir()} {
		if _, err := live.Find(dir); err == nil {
			t.Errorf("%s has processes", dir)
		}
	}
}

// Snapshots from outside are whole traces, whatever goes on meanwhile.
func TestSnapshots(t *testing.T) {
	p := start(t, "C")
	p.calls(t, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 20 {
			p.calls(t, 50_000)
		}
	}()
	for n, going := 0, true; going; n++ {
		select {
		case <-done:
			going = false
		default:
		}
		path := filepath.Join(t.TempDir(), fmt.Sprint(n))
		if err := recording.Snapshot(t.Context(), filepath.Join(p.dir, "0.pandorec"), path, recording.Now(), 0, nil); err != nil {
			t.Fatal(err)
		}
		if entered, left, _, _, _, _ := kept(t, path); entered != left && entered != left+1 {
			t.Fatalf("%d entered, %d left", entered, left)
		}
	}
}
