package main

import (
	"fmt"
	"regexp"
	"strings"
)

// function is a function of MPI, by its declaration in C without "int MPI_".
type function struct {
	name   string
	params []param
}

// param is a parameter: its type is all of the declaration that is not the name.
type param struct {
	name    string
	base    string // the type without const, stars and brackets
	pointer bool
	text    string // the declaration
}

// textual reports whether Fortran passes the length of the argument behind all arguments.
func (p *param) textual() bool { return p.base == "char" }

var (
	declared  = regexp.MustCompile(`^(\w+)\((.*)\)$`)
	parameter = regexp.MustCompile(`^(?:const )?(\w+) ([* ]*)(\w+)((?:\[\d*\])*)$`)
)

// parse reads a table with a declaration in each line.
func parse(table string) ([]function, error) {
	var list []function
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		m := declared.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("no declaration of a function: %s", line)
		}
		f := function{name: m[1]}
		for text := range strings.SplitSeq(m[2], ", ") {
			if text == "void" {
				continue
			}
			p := parameter.FindStringSubmatch(text)
			if p == nil {
				return nil, fmt.Errorf("%s: no parameter: %s", f.name, text)
			}
			f.params = append(f.params, param{name: p[3], base: p[1], pointer: p[2] != "" || p[4] != "", text: text})
		}
		list = append(list, f)
	}
	return list, nil
}

// roles are the numbers that OTF2 has for roles of regions, by what names of functions look like.
var roles = []struct {
	names *regexp.Regexp
	role  int
}{
	{regexp.MustCompile(`^I?barrier$|^Barrier$`), 15},
	{regexp.MustCompile(`(?i)^I?(bcast|scatterv?)$`), 23},
	{regexp.MustCompile(`(?i)^I?(gatherv?|reduce)$`), 24},
	{regexp.MustCompile(`(?i)^I?(allgatherv?|alltoall[vw]?|allreduce|reduce_scatter(_block)?)$`), 25},
	{regexp.MustCompile(`(?i)^I?(scan|exscan|neighbor_\w+)$`), 26},
	{regexp.MustCompile(`^File_`), 27},
	{regexp.MustCompile(`(?i)^I?[bsr]?(send|recv)(_init)?$|^I?m?probe$|^M(recv|probe)$|^Im(recv|probe)$|^Probe$|^Sendrecv|^(Wait|Test)(all|any|some)?$|^Start(all)?$|^Cancel$`), 28},
	{regexp.MustCompile(`^Win_|^R?(put|get|accumulate|get_accumulate)$|^(Put|Get|Accumulate|Get_accumulate|Fetch_and_op|Compare_and_swap)$`), 29},
}

func (f *function) role() int {
	for _, r := range roles {
		if r.names.MatchString(f.name) {
			return r.role
		}
	}
	return 1 // a function
}
