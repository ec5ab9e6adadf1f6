package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// workflowStep returns the commands of a step of the example workflow.
func workflowStep(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../examples/compare.yml")
	if err != nil {
		t.Fatal(err)
	}
	_, step, named := strings.Cut(string(text), "- name: "+name+"\n")
	_, step, runs := strings.Cut(step, "run: |\n")
	if !named || !runs {
		t.Fatalf("the workflow has no step %q with commands", name)
	}
	const indent = "          "
	var b strings.Builder
	for line := range strings.Lines(step) {
		command, ok := strings.CutPrefix(line, indent)
		if !ok {
			break
		}
		b.WriteString(command)
	}
	return b.String()
}

// The steps of the example workflow do what they say, with no trace of the main branch, with one and with several.
func TestWorkflow(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not on PATH")
	}
	dir := pageFolder(t)
	run := func(script string) (string, int) {
		c := exec.Command("bash", "-e", "-o", "pipefail", "-c", script) // as GitHub runs it
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "NO_COLOR=1")
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), c.ProcessState.ExitCode()
	}
	compare, show, keep := workflowStep(t, "Compare"), workflowStep(t, "Show where"), workflowStep(t, "Keep the trace")
	if out, code := run(compare); code != exitOK || !strings.Contains(out, "no traces") {
		t.Errorf("without traces: exit code %d, %s", code, out)
	}
	if out, code := run("pando convert --quiet examples/heat.before.tar.zst run.pando; " + keep); code != exitOK {
		t.Fatalf("exit code %d, %s", code, out)
	}
	if out, code := run("pando convert --quiet examples/heat.tar.zst run.pando; " + compare); code != exitBad || !strings.Contains(out, "boundary on rank 10") {
		t.Errorf("with one trace: exit code %d, %s", code, out)
	}
	if out, code := run("cp baseline/*.pando baseline/2.pando; cp run.pando baseline/3.pando; " + compare); code != exitBad && code != exitOK || !strings.Contains(out, "A median of 3 runs") {
		t.Errorf("with three traces: exit code %d, %s", code, out)
	}
	if out, code := run(show); code != exitOK {
		t.Errorf("exit code %d, %s", code, out)
	}
	for _, name := range []string{"differences.png", "differences.speedscope.json"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s was not drawn: %v", name, err)
		}
	}
	if out, code := run("for i in 4 5 6; do cp run.pando baseline/$i.pando; done; " + keep); code != exitOK {
		t.Errorf("exit code %d, %s", code, out)
	}
	if kept, err := filepath.Glob(filepath.Join(dir, "baseline/*.pando")); err != nil || len(kept) != 5 {
		t.Errorf("kept %v, %v", kept, err)
	}
}
