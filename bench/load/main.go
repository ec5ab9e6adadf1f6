// Command load asks a server as many clients do, and tells how long answers and refusals take and what the server's memory comes to. It starts
// the server itself.
//
//	go run ./bench/load -pando build/pando -memory 256MB traces
//
// Requests of the first phase arrive when they are due, whether or not the ones before are answered, and their time counts from when they
// were due. So a server that stops for a while has that in all requests of this while.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// order is what the command line asks for.
type order struct {
	pando, memory        string
	connections, stalled int
	rate                 float64
	length               time.Duration
	seed                 uint64
	paths                []string
}

func parse(args []string, log io.Writer) (o order, err error) {
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.StringVar(&o.pando, "pando", "build/pando", "`program` whose server is asked")
	flags.StringVar(&o.memory, "memory", "256MB", "the server's budget")
	flags.IntVar(&o.connections, "connections", 200, "connections of clients that read")
	flags.IntVar(&o.stalled, "stalled", 40, "connections of clients that never read")
	flags.Float64Var(&o.rate, "rate", 200, "requests a second, of all connections")
	flags.DurationVar(&o.length, "for", 20*time.Second, "`time` of each phase")
	flags.Uint64Var(&o.seed, "seed", 1, "of the windows and times of arrival")
	if err = flags.Parse(args); err == nil && flags.NArg() == 0 {
		err = errors.New("missing FILE or FOLDER")
	}
	o.paths = flags.Args()
	return o, err
}

func run(args []string, out, log io.Writer) error {
	o, err := parse(args, log)
	if err != nil {
		return err
	}
	s, err := start(&o)
	if err != nil {
		return err
	}
	defer s.stop()
	q, err := newQuestions(s.base, o.seed)
	if err != nil {
		return err
	}
	machine, err := exec.Command("bench/machine").Output()
	if err != nil {
		return fmt.Errorf("run it in the module's folder: %w", err)
	}
	fmt.Fprintf(out, "# A server under load\n\n`go run ./bench/load %s`\n\n```\n%s```\n\n", strings.Join(args, " "), machine)
	fmt.Fprintf(out, "%d connections, `--memory %s`. Times in ms, memory in MB (resident).\n", o.connections, o.memory)
	c := clients{server: s, order: &o, questions: q, out: out}
	c.phases()
	return nil
}
