// Package scorep reads filter files of Score-P: rules that say which regions are recorded.
//
//	SCOREP_REGION_NAMES_BEGIN
//	  EXCLUDE *
//	  INCLUDE solve init_*   # and what is above is left out
//	SCOREP_REGION_NAMES_END
//
// They become rules of record.Options.Filter, in which the last one that fits a name counts, too.
package scorep

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

const (
	beginRegions = "SCOREP_REGION_NAMES_BEGIN"
	endRegions   = "SCOREP_REGION_NAMES_END"
	beginFiles   = "SCOREP_FILE_NAMES_BEGIN"
	endFiles     = "SCOREP_FILE_NAMES_END"
)

// Detect reports whether a text looks like a filter file: if its first word, behind comments, begins a block of one.
func Detect(text []byte) bool {
	for line := range bytes.Lines(text) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		if words := bytes.Fields(line); len(words) > 0 {
			first := string(words[0])
			return first == beginRegions || first == beginFiles
		}
	}
	return false
}

// always are the regions that filters of Score-P do not reach: its wrappers of MPI and OpenMP.
const always = "MPI_*; omp *"

// Rules returns the rules of a filter file of a name. Errors have the line.
func Rules(name string, text []byte) (string, error) {
	p := parser{name: name}
	line := 0
	for content := range bytes.Lines(text) {
		line++
		p.line = line
		for _, word := range words(string(content)) {
			if err := p.word(word); err != nil {
				return "", err
			}
		}
	}
	if p.end != "" {
		return "", p.wrong("the block has no %s", p.end)
	}
	if len(p.rules) == 0 {
		return "", nil
	}
	return strings.Join(append(p.rules, always), "; "), nil
}

// words splits a line at blanks that no backslash stands before, without its comment.
func words(line string) (list []string) {
	begin := -1
	end := func(i int) {
		if begin >= 0 {
			list, begin = append(list, line[begin:i]), -1
		}
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '#':
			end(i)
			return list
		case strings.IndexByte(" \t\r\n\f\v", c) >= 0:
			end(i)
		case begin < 0:
			begin = i
		}
		if line[i] == '\\' {
			i++
		}
	}
	end(len(line))
	return list
}

// parser reads words.
type parser struct {
	name    string
	line    int
	end     string // of the block that is open; "" outside of blocks
	action  string // INCLUDE or EXCLUDE
	mangled bool
	rules   []string
}

func (p *parser) wrong(format string, args ...any) error {
	return fmt.Errorf("%s, line %d: %s", p.name, p.line, fmt.Sprintf(format, args...))
}

func (p *parser) word(w string) error {
	switch {
	case p.end == "" && w == beginRegions:
		p.end, p.action, p.mangled = endRegions, "", false
	case p.end == "" && w == beginFiles:
		p.end, p.action, p.mangled = endFiles, "", false
	case p.end == "":
		return p.wrong("%q stands outside of %s and %s", w, beginRegions, endRegions)
	case w == p.end:
		p.end = ""
	case w == "INCLUDE" || w == "EXCLUDE":
		p.action, p.mangled = w, false
	case p.action == "":
		return p.wrong("%q stands before INCLUDE or EXCLUDE", w)
	case w == "MANGLED":
		p.mangled = true
	case p.end == endFiles:
		return p.wrong("%s %s: rules for source files are not known here, only those for names of regions", p.action, w)
	default:
		return p.pattern(w)
	}
	return nil
}

// pattern adds rules for a pattern. Those that include what nothing has excluded change nothing.
func (p *parser) pattern(w string) error {
	list, err := p.expand(w)
	if err != nil {
		return err
	}
	for _, rule := range list {
		if p.mangled {
			names, err := p.demangle(rule)
			if err != nil {
				return err
			}
			p.add(names...)
			continue
		}
		p.add(rule)
	}
	return nil
}

func (p *parser) add(patterns ...string) {
	for _, rule := range patterns {
		if p.action == "EXCLUDE" {
			rule = "!" + rule
		}
		if p.action == "EXCLUDE" || len(p.rules) > 0 {
			p.rules = append(p.rules, rule)
		}
	}
}

// maxExpanded bounds how many patterns without sets one with sets stands for.
const maxExpanded = 64

// expand returns the patterns without sets that a pattern stands for.
func (p *parser) expand(w string) ([]string, error) {
	list := []string{""}
	for i := 0; i < len(w); i++ {
		choices := []string{w[i : i+1]}
		switch w[i] {
		case '\\':
			if i++; i == len(w) {
				return nil, p.wrong("%q ends with a backslash", w)
			}
			if choices = []string{w[i : i+1]}; w[i] == '*' || w[i] == '?' {
				return nil, p.wrong("%q: a %c that stands for itself cannot be said in rules here", w, w[i])
			}
		case '[':
			end := strings.IndexByte(w[min(i+2, len(w)):], ']') + i + 2
			if end < i+2 {
				return nil, p.wrong("%q: a set has no ]", w)
			}
			var err error
			if choices, err = p.set(w, w[i+1:end]); err != nil {
				return nil, err
			}
			i = end
		}
		if len(list)*len(choices) > maxExpanded {
			return nil, p.wrong("%q stands for more than %d patterns without sets", w, maxExpanded)
		}
		var longer []string
		for _, begun := range list {
			for _, c := range choices {
				longer = append(longer, begun+c)
			}
		}
		list = longer
	}
	for _, rule := range list {
		if strings.ContainsAny(rule, ";\x00") || rule[0] == '!' || strings.ContainsAny(rule[:1]+rule[len(rule)-1:], " \t\n") {
			return nil, p.wrong("%q cannot be said in rules here: it has a semicolon, or begins with an exclamation mark, or has a blank at its end", w)
		}
	}
	return list, nil
}

// set returns the characters of a set.
func (p *parser) set(w, set string) (list []string, err error) {
	if set[0] == '!' || set[0] == '^' {
		return nil, p.wrong("%q: sets of what is not in them cannot be said in rules here", w)
	}
	for i := 0; i < len(set); i++ {
		from, to := set[i], set[i]
		if i+2 < len(set) && set[i+1] == '-' {
			to, i = set[i+2], i+2
		}
		if from > to {
			return nil, p.wrong("%q: %c-%c is no range", w, from, to)
		}
		for c := int(from); c <= int(to); c++ {
			if c == '*' || c == '?' {
				return nil, p.wrong("%q: a %c that stands for itself cannot be said in rules here", w, c)
			}
			list = append(list, string([]byte{byte(c)}))
		}
	}
	return list, nil
}

// demangle returns the names that a mangled one stands for in recordings, which have names as people write them: with and without parameters. Names that are not mangled are those of C.
func (p *parser) demangle(pattern string) ([]string, error) {
	if !strings.HasPrefix(pattern, "_Z") && !strings.HasPrefix(pattern, "*") && !strings.HasPrefix(pattern, "?") {
		return []string{pattern}, nil
	}
	full, err := demangle.ToString(pattern)
	short, wrong := demangle.ToString(pattern, demangle.NoParams)
	if err != nil || wrong != nil || strings.ContainsAny(pattern, "*?") {
		return nil, p.wrong("MANGLED %s: regions have names as people write them, for which only whole mangled names can be found", pattern)
	}
	if strings.ContainsAny(full, ";*?") {
		return nil, p.wrong("MANGLED %s: %q cannot be said in rules here", pattern, full)
	}
	return slices.Compact([]string{full, short}), nil
}
