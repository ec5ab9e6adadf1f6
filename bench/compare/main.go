// Command compare measures Pando against other programs that do the same work, in turns, and writes the results as
// Markdown. bench/README.md says what is compared and how.
//
//	go run ./bench/compare
//	go run ./bench/compare -section size,windows -out bench/results/windows.md otf2.lu.W.8
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
)

func main() {
	if measureAsked() {
		os.Exit(measure(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// sections are the parts of a report, in order.
var sections = []struct {
	name, title string
	run         func(*bench) error
}{
	{"size", "Size", (*bench).size},
	{"conversion", "Conversion and printing", (*bench).conversion},
	{"windows", "Windows", (*bench).windowSection},
	{"summaries", "Summaries", (*bench).summaries},
	{"timelines", "Timelines", (*bench).timelines},
	{"scaling", "Scaling", (*bench).scaling},
	{"decode", "Decoding and writing", (*bench).decode},
}

// bench is one run of the program: its flags and its working data.
type bench struct {
	options
	ctx   context.Context
	root  string // of the source tree
	work  string // folder for what is prepared
	peers peers
	*report

	prepared map[string]*sample // by argument
	built    map[string]string  // programs of ours, by package
}

func run(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	b := &bench{options: o, ctx: ctx, prepared: map[string]*sample{}, built: map[string]string{}}
	b.report = &report{out: out, progress: progress}
	if b.root, err = root(); err != nil {
		return err
	}
	remove, err := b.workFolder()
	if err != nil {
		return err
	}
	defer remove()
	b.peers = b.findPeers()
	defer b.peers.duckDB.close()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(b.threads))
	err = b.compare(args)
	if o.out != "" {
		err = errors.Join(err, os.WriteFile(o.out, b.written.Bytes(), 0o666))
	}
	return err
}

// compare writes the report. A section that fails does not stop the others.
func (b *bench) compare(args []string) error {
	if err := b.header(args); err != nil {
		return err
	}
	var failed error
	for _, s := range sections {
		if !b.wants(s.name) {
			continue
		}
		b.printf("\n## %s\n", s.title)
		if err := s.run(b); err != nil {
			b.printf("\nFAILED: %v\n", err)
			failed = errors.Join(failed, fmt.Errorf("%s: %w", s.name, err))
		}
		if b.ctx.Err() != nil {
			return b.ctx.Err()
		}
	}
	return failed
}

// workFolder makes the folder for what is prepared, and returns what removes it.
func (b *bench) workFolder() (remove func(), err error) {
	if b.keep != "" {
		b.work = b.keep
		return func() {}, os.MkdirAll(b.work, 0o777)
	}
	b.work, err = os.MkdirTemp("", "pando-compare-")
	return func() { os.RemoveAll(b.work) }, err
}
