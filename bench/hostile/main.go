// Command hostile gives the program hostile inputs of all kinds, and reports by kind and number what it did with them.
//
//	go run ./bench/hostile -pando build/pando -out bench/results/hostile.md
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/pandotrace/pando/bench/hostile/attack"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hostile:", err)
		os.Exit(1)
	}
}

// order is what the command line asks for.
type order struct {
	pando, out, only string
	share            float64
	seed             uint64
	workers          int
}

func run(args []string) error {
	var o order
	f := flag.NewFlagSet("hostile", flag.ContinueOnError)
	f.StringVar(&o.pando, "pando", "build/pando", "the program")
	f.StringVar(&o.out, "out", "", "a file for the report, besides standard output")
	f.StringVar(&o.only, "only", "", "only kinds whose name has this in it")
	f.Float64Var(&o.share, "share", 1, "the share of the inputs of a full run")
	f.Uint64Var(&o.seed, "seed", 1, "equal seeds make equal inputs")
	f.IntVar(&o.workers, "workers", runtime.NumCPU(), "programs that run at a time")
	if err := f.Parse(args); err != nil {
		return err
	}
	results, err := o.attack()
	if err != nil {
		return err
	}
	return o.report(results)
}

func (o *order) attack() ([]attack.Result, error) {
	program, err := filepath.Abs(o.pando)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "hostile-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	kind := ""
	return attack.Run(attack.Options{
		Program: []string{program}, Seed: o.seed, Share: o.share, Only: o.only, Work: work, Workers: o.workers,
		Vectors: "spec/v1/vectors",
		Unpack:  func(name string) (string, error) { return unpack(work, name) },
		Progress: func(now string, number int) {
			if now != kind {
				kind = now
				fmt.Fprintln(os.Stderr, kind)
			}
		},
	})
}

// unpack unpacks a bundled trace.
func unpack(work, name string) (string, error) {
	dir := filepath.Join(work, "unpacked", name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	archive := filepath.Join("internal", "tracetest", "testdata", name+".tar.zst")
	if text, err := exec.Command("tar", "--zstd", "-xf", archive, "-C", dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("unpacking %s: %w: %s", archive, err, text)
	}
	return dir, nil
}

// report writes the table; inputs that were not dealt with as they have to be are an error.
func (o *order) report(results []attack.Result) error {
	attack.Report(os.Stdout, results)
	if o.out != "" {
		if err := o.write(results); err != nil {
			return err
		}
	}
	for _, r := range results {
		if len(r.Wrong) > 0 {
			return errors.New("some inputs were not dealt with as they have to be")
		}
	}
	return nil
}

func (o *order) write(results []attack.Result) error {
	f, err := os.Create(o.out)
	if err != nil {
		return err
	}
	machine, err := exec.Command("bench/machine").Output()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	fmt.Fprintf(f, "# Hostile inputs\n\n```\n%scommand: go run ./bench/hostile -pando %s -share %g -seed %d\n```\n\n", machine, o.pando, o.share, o.seed)
	attack.Report(f, results)
	return f.Close()
}
