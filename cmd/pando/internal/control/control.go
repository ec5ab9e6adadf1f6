// Package control is the verb record ctl, which looks at and steers programs that record.
package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/launch"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert/recording"
	"github.com/pandotrace/pando/convert/recording/live"
	"github.com/pandotrace/pando/internal/report/recorders"
)

// Output is where a snapshot goes.
type Output interface {
	// Check refuses an output that cannot be.
	Check(cmd *cobra.Command) error
	// Convert makes the trace of a copy of a folder of recordings.
	Convert(cmd *cobra.Command, copied, folder string) error
}

// controlVerb looks at processes, and steers them.
type controlVerb struct {
	*verb.Outcome
	output Output
	last   string
	wait   time.Duration
}

// actions are what the verb does, in the order of its help.
var actions = []string{"status", "pause", "resume", "filter", "snapshot"}

// New makes the verb.
func New(outcome *verb.Outcome, output Output) *cobra.Command {
	v := &controlVerb{Outcome: outcome, output: output}
	cmd := &cobra.Command{
		Use:   "ctl DIR status|pause|resume|filter RULES|snapshot",
		Short: "Look at and steer programs that record into a folder",
		Long: `Look at the processes that record into a folder, steer them, or make a trace of what they have recorded so far.
They go on meanwhile.

  status          tell what each is doing, how much it has recorded, and what it gave up
  pause           record nothing until resume: calls that begin meanwhile are counted only
  resume          go on recording
  filter RULES    record regions by other rules, as --filter of pando record has them; '' records all
  snapshot        make a trace OUT of what is recorded, or of the last of it

A process does what it is asked for when it begins its next call or has its next event. One that has none within --wait
is asked all the same. Processes of other machines cannot be asked from here: ASKED says so for each that could not be, and the exit
code is 4 if others were.`,
		Example: `  pando record ctl run.d status
  pando record ctl run.d filter '!get?'
  pando record ctl run.d snapshot --last 10s -o now.pando`,
		Args: v.arguments,
		RunE: v.run,
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			switch len(args) {
			case 0:
				return nil, cobra.ShellCompDirectiveFilterDirs
			case 1:
				return verb.Beginning(actions, begun), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	f := cmd.Flags()
	f.StringVar(&v.last, "last", "", "snapshot: only this `TIME`: calls and events that ended within it")
	f.DurationVar(&v.wait, "wait", 2*time.Second, "wait at most this `TIME` until processes have done what they are asked for")
	for _, flag := range []string{"last", "wait"} {
		verb.CompleteFixed(cmd, flag, nil)
	}
	return cmd
}

// arguments checks how many there are.
func (v *controlVerb) arguments(_ *cobra.Command, args []string) error {
	const folder, action, rules = 0, 1, 2
	want := rules
	switch {
	case len(args) <= action:
		return verb.Usagef("DIR and what to do are needed: status, pause, resume, filter RULES or snapshot")
	case args[action] == "filter":
		want++
	case !slices.Contains(actions, args[action]):
		return verb.Usagef("%q is none of status, pause, resume, filter and snapshot%s", args[action], verb.DidYouMean(args[action], actions))
	}
	switch {
	case len(args) < want:
		return verb.Usagef("filter needs RULES; '' are none")
	case len(args) > want:
		return verb.Usagef("%q is too much", args[want])
	case v.last != "" && args[action] != "snapshot":
		return verb.Usagef("--last is for snapshot")
	case v.wait < 0:
		return verb.Usagef("--wait %v is negative", v.wait)
	}
	return nil
}

func (v *controlVerb) run(cmd *cobra.Command, args []string) error {
	dir, action := args[0], args[1]
	if action == "snapshot" {
		return v.snapshot(cmd, dir)
	}
	list, err := live.Find(dir)
	if err != nil {
		return err
	}
	if action == "status" {
		return v.TellBy(cmd.OutOrStdout(), recorders.Of(dir, list).Write)
	}
	request := live.Request{Pause: action == "pause", Resume: action == "resume"}
	if action == "filter" {
		rules, err := launch.Rules(args[2])
		if err != nil {
			return err
		}
		request.Filter = &rules
	}
	return v.steer(cmd.OutOrStdout(), dir, action, list, request)
}

// steer asks all processes that record, and tells what they are doing then.
func (v *controlVerb) steer(out io.Writer, dir, action string, list []*live.Process, request live.Request) error {
	if err := someRecord(dir, list); err != nil {
		return err
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	ctx, end := context.WithTimeout(ctx, v.wait)
	defer end()
	answers := askAll(ctx, list, request)
	now, err := live.Find(dir)
	if err != nil {
		return err
	}
	f := recorders.Of(dir, now)
	for i := range f.Processes {
		if a := answers[i]; a != nil && len(now) == len(list) {
			f.Processes[i].Answer(action, a.done, a.err)
		}
	}
	return errors.Join(v.TellBy(out, f.Write), undone(answers))
}

// answer is what became of asking a process.
type answer struct {
	done bool
	err  error // it cannot be asked
}

// askAll asks all processes at once, so that one that has no events takes nothing from the time of others. Those that have ended their recordings are not asked: their answers are nil.
func askAll(ctx context.Context, list []*live.Process, request live.Request) []*answer {
	answers := make([]*answer, len(list))
	var all sync.WaitGroup
	for i, p := range list {
		if p.State == live.Closed {
			continue
		}
		answers[i] = &answer{}
		all.Go(func() { answers[i].done, answers[i].err = live.Ask(ctx, p, request) })
	}
	all.Wait()
	return answers
}

// undone returns an error about the processes that could not be asked: one about a part if others were.
func undone(answers []*answer) error {
	var wrong []error
	asked := false
	for _, a := range answers {
		switch {
		case a == nil:
		case a.err == nil:
			asked = true
		default:
			wrong = append(wrong, a.err)
		}
	}
	if err := errors.Join(wrong...); err == nil || !asked {
		return err
	}
	return verb.Part(errors.Join(wrong...))
}

// someRecord refuses a folder into which no process records any more.
func someRecord(dir string, list []*live.Process) error {
	states := map[live.State]int{}
	for _, p := range list {
		if states[p.State]++; p.Records() {
			return nil
		}
	}
	if n := states[live.Elsewhere]; n > 0 {
		return fmt.Errorf("%s: its programs run on the host %s, and are steered there", dir, list[0].Host)
	}
	return fmt.Errorf("%s: no program records into it any more: %d have ended, and %d died; pando convert %s OUT makes a trace of what is there", dir, states[live.Closed], states[live.Died], dir)
}

// snapshot makes a trace of what all processes have recorded up to this moment.
func (v *controlVerb) snapshot(cmd *cobra.Command, dir string) error {
	if err := v.output.Check(cmd); err != nil {
		return err
	}
	last := time.Duration(0)
	if v.last != "" {
		var err error
		if last, err = time.ParseDuration(v.last); err != nil || last <= 0 {
			return verb.Usagef("--last %s is no time, as 10s is", v.last)
		}
	}
	list, err := live.Find(dir)
	if err == nil {
		err = someRecord(dir, list)
	}
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "pando-snapshot-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := v.copy(list, temp, last); err != nil {
		return err
	}
	return v.output.Convert(cmd, temp, dir)
}

// copy copies the recordings of all processes as of one moment.
func (v *controlVerb) copy(list []*live.Process, to string, last time.Duration) error {
	ctx, stop := verb.Interruptible()
	defer stop()
	now := recording.Now()
	for i, p := range list {
		if p.State == live.Elsewhere {
			return fmt.Errorf("%s runs on the host %s, whose memory is not seen from here", p.Name(), p.Host)
		}
		bar := v.Bar("copying", "bytes", 0)
		err := recording.Snapshot(ctx, p.Path, filepath.Join(to, strconv.Itoa(i)+".pandorec"), now, last, bar.Report)
		bar.Done()
		if err != nil {
			return err
		}
	}
	return nil
}
