package analyses

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/check"
	"github.com/pandotrace/pando/analysis/rules"
	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/findings"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// sarifFormat is what services for code take findings in.
var sarifFormat = outputs.Format{Name: "sarif", Endings: []string{".sarif"}}

// foundFormats are the formats of what check finds, but for the table.
var foundFormats = []outputs.Format{verb.TextFormat, verb.JSONFormat, sarifFormat}

// checkedFormats are the formats of what check finds.
func checkedFormats() []outputs.Format { return slices.Concat(foundFormats, verb.TablesOnly) }

// checkVerb finds what is wrong in a trace.
type checkVerb struct {
	verb.Answering
	verb.Selection
	only           []string
	rule, files    []string
	known, latency string
	builtin        bool // the rules of package check are wanted
	rules          []*rules.Rule
	lenient, quiet bool
	version        string
	opt            check.Options
}

// usualFindings is the number of findings of each condition unless --limit says how many.
const usualFindings = 3

// NewCheck makes the verb check of a version of the program.
func NewCheck(version string) *cobra.Command {
	v := &checkVerb{version: version}
	cmd := &cobra.Command{
		Use:   "check TRACE",
		Short: "Find what is wrong in a trace: lost events, messages, collective operations, clocks",
		Long: `Find what is wrong with what a trace says of its program. TRACE is a Pando file or a trace of another
format, which is read as it is. Whether a file is sound is another question: pando verify.

Each kind of finding has a code, which belongs to a rule:

` + listed() + `
The exit code is 1 if there are errors. What is missing because the trace was cut, or because it has
some of the locations only, is a note, no error.

--rule and --rules add rules on the rows of tables (help tables): --rule 'calls: region != "solve" || duration < 20ms'.
The condition is that of pando query --where, and a row breaks the rule if it is false; null is not false.
A file of rules has one a line: [error|warning|note] [NAME] TABLE: CONDITION. Lines that begin with a space
continue the one before, and those that begin with # are comments. --only user checks these rules alone.

--known names the JSON of an earlier check: conditions that a location breaks no more often than there
are left out, so that a trace with known faults can be checked for others.

--from, --to and -L show what is wrong in a part of a Pando file. All of it is read: what is wrong there
may follow from what was before.`,
		Example: `  pando check run.pando
  pando check scorep-run/traces.otf2 --only messages,requests --limit 20
  pando check run.pando --min-latency 500ns
  pando check run.pando --only user --rule 'calls: region != "solve" || duration < 20ms'
  pando check run.pando --rules program.rules -o findings.sarif
  pando check run.pando --json > known.json
  pando check tomorrow.pando --known known.json
  pando check run.pando --from 40% --to 60% -L 'rank 3'
  pando check run.pando -o findings.sarif
  pando check run.pando --tables findings -o findings.parquet`,
		Args: verb.Arguments("TRACE"),
		RunE: func(cmd *cobra.Command, args []string) error { return v.run(cmd.OutOrStdout(), args[0]) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&v.only, "only", nil, "check these `RULES` alone: "+outputs.Listed(names()))
	f.StringArrayVar(&v.rule, "rule", nil, "check this `RULE`, too: TABLE: CONDITION")
	f.StringArrayVar(&v.files, "rules", nil, "check the rules in `FILE`, too")
	f.IntVar(&v.opt.Limit, "limit", usualFindings, "show the first `N` findings of each code; all are counted")
	f.StringVar(&v.latency, "min-latency", "", "the least `TIME` that a message takes (500ns)")
	f.StringVar(&v.known, "known", "", "leave out what the JSON of an earlier check in `FILE` has")
	f.BoolVar(&v.lenient, "lenient", false, "accept traces of which parts are missing or cut off")
	v.AddWindow(cmd)
	v.AddLocations(cmd)
	v.AddAnswer(cmd, "print the findings as JSON", checkedFormats()...)
	v.AddTables(cmd, "a check", findings.Analysis.Names)
	verb.AddQuiet(cmd, &v.quiet, "print no findings: the exit code tells whether there are errors")
	verb.CompleteFixed(cmd, "only", names())
	verb.CompleteFixed(cmd, "rule", nil)
	verb.CompleteFixed(cmd, "limit", nil)
	verb.CompleteFixed(cmd, "min-latency", nil)
	verb.CompleteTraces(cmd)
	return cmd
}

// names are those of the rules, and of the user's together.
func names() (list []string) {
	for _, r := range check.Rules() {
		list = append(list, r.String())
	}
	return append(list, findings.UserRule)
}

// listed describes the rules and their codes.
func listed() string {
	var b strings.Builder
	rule := check.Rule(255)
	for c := range check.Codes() {
		name := ""
		if c.Rule() != rule {
			rule = c.Rule()
			name = rule.String()
		}
		fmt.Fprintf(&b, "  %-15s %-26s %s\n", name, c, c.What())
	}
	fmt.Fprintf(&b, "  %-15s %-26s %s\n", check.Graph, "", "calls are trees: reading the structure of a Pando file shows it, or that the file is damaged")
	return b.String()
}

func (v *checkVerb) run(out io.Writer, path string) error {
	if err := v.choose(out); err != nil {
		return err
	}
	known, err := v.readKnown()
	if err != nil {
		return err
	}
	ctx, stop := verb.Interruptible()
	defer stop()
	if err := v.within(path); err != nil {
		return err
	}
	t, err := verb.FindTrace(ctx, path, convert.Options{Lenient: v.lenient})
	if err != nil {
		return err
	}
	r, err := v.find(ctx, t, path, known)
	if err = errors.Join(err, t.Close()); err != nil {
		return err
	}
	if !v.quiet {
		if err := v.write(ctx, out, r); err != nil {
			return err
		}
	}
	if r.Errors > 0 {
		return fmt.Errorf("%s: %s", path, report.Plural(r.Errors, "error", "errors"))
	}
	return nil
}

// choose checks the flags.
func (v *checkVerb) choose(out io.Writer) error {
	if err := v.ChooseAnswer(out, foundFormats...); err != nil {
		return err
	}
	if v.quiet && v.Output != "" {
		return verb.Usagef("--quiet prints nothing that --output could take")
	}
	if v.opt.Limit < 1 {
		return verb.Usagef("--limit %d is less than 1", v.opt.Limit)
	}
	v.builtin = len(v.only) == 0
	for _, name := range v.only {
		if name == findings.UserRule {
			continue
		}
		r, err := check.ParseRule(name)
		if err != nil {
			return verb.Usagef("--only: %w", err)
		}
		v.builtin, v.opt.Only = true, append(v.opt.Only, r)
	}
	if err := v.readRules(); err != nil {
		return err
	}
	if !v.builtin && len(v.rules) == 0 {
		return verb.Usagef("--only %s: no rule is there; --rule and --rules have some", findings.UserRule)
	}
	return nil
}

// readRules reads the rules of the user.
func (v *checkVerb) readRules() error {
	for _, text := range v.rule {
		r, err := rules.Parse(text)
		if err != nil {
			return verb.Usagef("--rule: %w", err)
		}
		v.rules = append(v.rules, r)
	}
	for _, name := range v.files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		list, err := rules.ReadFile(f, name)
		if err = errors.Join(err, f.Close()); err != nil {
			return verb.Usage(err)
		}
		v.rules = append(v.rules, list...)
	}
	if err := rules.Distinct(v.rules); err != nil {
		return verb.Usage(err)
	}
	return nil
}

// within reads the flags that name a part of the trace.
func (v *checkVerb) within(path string) error {
	if v.From == "" && v.To == "" && v.Locations == nil {
		return nil
	}
	f, w, err := v.Open(path)
	if errors.Is(err, store.ErrNotPando) {
		return verb.Usagef("%s: --from, --to and -L take a Pando file: pando convert %s first", path, path)
	} else if err != nil {
		return err
	}
	return errors.Join(findings.Within(&v.opt, f, w), f.Close())
}

// readKnown reads what is known.
func (v *checkVerb) readKnown() (*findings.Known, error) {
	if v.known == "" {
		return nil, nil
	}
	f, err := os.Open(v.known)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	known, err := findings.ReadKnown(bufio.NewReader(f))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v.known, err)
	}
	return known, nil
}

// find checks a trace.
func (v *checkVerb) find(ctx context.Context, t *convert.Trace, path string, known *findings.Known) (r *findings.Report, err error) {
	q := &findings.Question{Name: path, Options: v.opt, Known: known, Rules: v.rules}
	bar := (*progress.Bar)(nil)
	if !v.quiet {
		bar = progress.New("checking", "events", 0)
	}
	defer bar.Done()
	q.Options.Progress = bar.Report
	if v.builtin {
		if err := v.open(ctx, t, q); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, q.Source.Close()) }()
	}
	if len(v.rules) > 0 {
		done, e := v.index(ctx, t, q)
		if e != nil {
			return nil, e
		}
		defer func() { err = errors.Join(err, done()) }()
	}
	r, err = findings.Find(ctx, q)
	var wrong *rules.Error
	if errors.As(err, &wrong) {
		err = verb.Usage(err)
	}
	return r, err
}

// open opens the trace for the rules of package check.
func (v *checkVerb) open(ctx context.Context, t *convert.Trace, q *findings.Question) error {
	src, err := t.Open(ctx)
	if err != nil {
		return err
	}
	if v.latency != "" {
		axis := trace.NewTimeAxis(0, 0, src.Meta().Resolution)
		if q.Options.MinLatency, err = axis.ParseDuration(v.latency); err != nil {
			return errors.Join(verb.Usagef("--min-latency: %w", err), src.Close())
		}
	}
	q.Source = src
	return nil
}

// index opens the trace as a Pando file, whose tables the user's rules are about: a temporary one of a trace of another format. done closes it.
func (v *checkVerb) index(ctx context.Context, t *convert.Trace, q *findings.Question) (done func() error, err error) {
	file, err := t.Indexed(ctx, convert.WriteOptions{Progress: q.Options.Progress})
	if err != nil {
		return nil, err
	}
	remove := func() error {
		if file == t {
			return nil
		}
		return file.Close()
	}
	f, w, err := v.Open(file.Path)
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	q.Reader, q.Window = f.Reader, w
	return func() error { return errors.Join(f.Close(), remove()) }, nil
}

// write writes the findings.
func (v *checkVerb) write(ctx context.Context, out io.Writer, r *findings.Report) error {
	if v.Tables != nil {
		return v.WriteTables(ctx, out, r.Table())
	}
	return v.Print(out, func(_ context.Context, w *bufio.Writer) error {
		if v.Chosen.Name == sarifFormat.Name {
			return r.WriteSARIF(w, v.version)
		}
		return r.Write(w, v.Format)
	})
}
