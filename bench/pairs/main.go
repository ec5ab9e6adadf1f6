// Command pairs compares the processor time of two builds of a program: it runs them in turns, with the same arguments, and takes a ratio of
// each pair of runs.
//
//	go run ./bench/pairs -n 21 build/before build/after < commands
//
// Each line of standard input is a command: arguments, divided by spaces. The argument OUT stands for a new file in a temporary folder.
// What the programs print is thrown away. User time is compared, which other work on the machine disturbs less than elapsed time; the
// interval is the one of order statistics that has the median of ratios with a probability of 95 %.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); errors.Is(err, flag.ErrHelp) {
		os.Exit(2)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "pairs:", err)
		os.Exit(1)
	}
}

func run(args []string, commands io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("pairs", flag.ContinueOnError)
	n := flags.Int("n", 21, "`number` of pairs of runs of each command")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 || *n < minPairs {
		return fmt.Errorf("usage: pairs -n N BEFORE AFTER < commands, N at least %d", minPairs)
	}
	fmt.Fprintln(out, "| command | before, s | after, s | after / before | interval | extremes |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|")
	lines := bufio.NewScanner(commands)
	for lines.Scan() {
		arguments := strings.Fields(lines.Text())
		if len(arguments) == 0 {
			continue
		}
		before, after, err := inTurns(*n, flags.Arg(0), flags.Arg(1), arguments)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "| `%s` | %s |\n", lines.Text(), row(before, after))
	}
	return lines.Err()
}

// inTurns returns the user time of each run in seconds, after one run of each program that does not count. The programs take turns at
// being first.
func inTurns(n int, before, after string, arguments []string) (first, second []float64, err error) {
	programs := [2]string{before, after}
	var of [2][]float64
	for turn := range n + 1 {
		for i := range programs {
			which := (turn + i) % 2
			seconds, err := userTime(programs[which], arguments)
			if err != nil {
				return nil, nil, err
			}
			if turn > 0 {
				of[which] = append(of[which], seconds)
			}
		}
	}
	return of[0], of[1], nil
}

func userTime(program string, arguments []string) (float64, error) {
	folder, err := os.MkdirTemp("", "pairs")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	arguments = slices.Clone(arguments)
	for i, a := range arguments {
		if a == "OUT" {
			arguments[i] = filepath.Join(folder, "out")
		}
	}
	cmd := exec.Command(program, arguments...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return cmd.ProcessState.UserTime().Seconds(), nil
}
