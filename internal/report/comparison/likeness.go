package comparison

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/ranges"
)

// Likeness is how alike the calls of all pairs of locations are, of two sides or of one.
type Likeness struct {
	A string `json:"a"`
	B string `json:"b"`
	// Level says how calls were aligned.
	Level string `json:"level"`
	// Levels is the number of levels of calls that were compared, 0 for all.
	Levels int `json:"levels"`
	// LocationsA and LocationsB are those with calls, GroupsA and GroupsB say which of them have the same calls: those of one number.
	LocationsA []string `json:"locations_a"`
	LocationsB []string `json:"locations_b"`
	GroupsA    []int    `json:"groups_a"`
	GroupsB    []int    `json:"groups_b"`
	// Mean and Least are similarities of all pairs by the alignments that were found.
	Mean  float64 `json:"mean_similarity"`
	Least float64 `json:"least_similarity"`
	// ProvenPairs is the number of pairs whose alignment is the best one.
	ProvenPairs int `json:"proven_pairs"`
	// Pairs are all pairs of a location of A and one of B; of one file each pair of different locations once.
	Pairs []AlikePair `json:"pairs"`

	of    *contrast.Likeness
	least *AlikePair
}

// AlikePair is two locations.
type AlikePair struct {
	A       string  `json:"a"`
	B       string  `json:"b"`
	Lowest  float64 `json:"lowest_similarity"`
	Highest float64 `json:"highest_similarity"`
	Proven  bool    `json:"proven"`
}

// NewLikeness makes a report.
func NewLikeness(l *contrast.Likeness) *Likeness {
	r := &Likeness{
		A: l.Names[0], B: l.Names[1], Level: levelNames[l.Level], Levels: l.Levels, LocationsA: labels(l.Locations[0]), LocationsB: labels(l.Locations[1]),
		GroupsA: l.Groups[0], GroupsB: l.Groups[1], Mean: 1, Least: 1, Pairs: []AlikePair{}, of: l,
	}
	sum := 0.0
	for p := range r.all() {
		if sum += p.Lowest; p.Proven {
			r.ProvenPairs++
		}
		if r.least == nil || p.Lowest < r.least.Lowest {
			r.least, r.Least = &p, p.Lowest
		}
	}
	if l.Pairs > 0 {
		r.Mean = sum / float64(l.Pairs)
	}
	return r
}

// all yields all pairs.
func (r *Likeness) all() iter.Seq[AlikePair] {
	return func(yield func(AlikePair) bool) {
		for i, a := range r.LocationsA {
			for j, b := range r.LocationsB {
				if r.of.Single && j <= i {
					continue
				}
				if s, c := r.of.At(i, j); !yield(AlikePair{a, b, s.Lowest, s.Highest, c.Proven()}) {
					return
				}
			}
		}
	}
}

// Write writes the report as text or JSON.
func (r *Likeness) Write(w io.Writer, f report.Format) error {
	if f == report.JSON {
		r.Pairs = slices.AppendSeq(r.Pairs[:0], r.all()) // they are many
		return report.WriteJSON(w, r)
	}
	p := &report.Printer{To: w}
	r.head(p)
	r.groups(p)
	r.outliers(p)
	r.matrix(p)
	return p.Err
}

// what says which pairs there are.
func (r *Likeness) what() string {
	pairs := report.Plural(r.of.Pairs, "pair", "pairs")
	if r.of.Single {
		return fmt.Sprintf("%s: %s, %s", report.Printable(r.A), report.Plural(len(r.LocationsA), "location", "locations"), pairs)
	}
	return fmt.Sprintf("A %s, B %s: %d by %d locations, %s", report.Printable(r.A), report.Printable(r.B), len(r.LocationsA), len(r.LocationsB), pairs)
}

// head writes what holds for all pairs.
func (r *Likeness) head(w io.Writer) {
	fmt.Fprintln(w, r.what())
	if r.Levels > 0 {
		fmt.Fprintln(w, levelsText(r.Levels))
	}
	if r.least == nil {
		return
	}
	fmt.Fprintf(w, "similarity: %s in the mean, least %s between %s and %s\n", percent(r.Mean), similarity(r.least.Lowest, r.least.Highest),
		report.Printable(r.least.A), report.Printable(r.least.B))
	if r.ProvenPairs < r.of.Pairs {
		fmt.Fprintf(w, "the alignments of %s of %s are the best ones of level %s; others may be more alike than they are told to be\n",
			report.Grouped(r.ProvenPairs), report.Plural(r.of.Pairs, "pair", "pairs"), r.Level)
	}
}

// groups writes which locations have the same calls.
func (r *Likeness) groups(w io.Writer) {
	members := map[int][]string{}
	for side, list := range [2][]string{r.LocationsA, r.LocationsB} {
		if side == 1 && r.of.Single {
			break
		}
		for i, label := range list {
			if n := r.of.Groups[side][i]; r.of.Single {
				members[n] = append(members[n], label)
			} else {
				members[n] = append(members[n], []string{"A ", "B "}[side]+label)
			}
		}
	}
	var shared [][]string
	alone := 0
	for n := range len(members) {
		if len(members[n]) > 1 {
			shared = append(shared, members[n])
		} else {
			alone++
		}
	}
	slices.SortStableFunc(shared, func(x, y []string) int { return cmp.Compare(len(y), len(x)) })
	for _, group := range some(shared, func(list []string) string { return ranges.Of(list, mostListed) }) {
		fmt.Fprintf(w, "the same calls: %s\n", group)
	}
	if alone > 0 {
		fmt.Fprintf(w, "like no other: %s\n", report.Plural(alone, "location", "locations"))
	}
}

// outliers writes which locations of A are least like the others, if they are many.
func (r *Likeness) outliers(w io.Writer) {
	if len(r.LocationsA) <= mostNumbers {
		return
	}
	means := make([]float64, len(r.LocationsA))
	order := make([]int, len(means))
	for i := range means {
		order[i] = i
		for j := range r.LocationsB {
			s, _ := r.of.At(i, j)
			means[i] += s.Lowest / float64(len(r.LocationsB))
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(means[x], means[y]) })
	text := some(order[:4], func(i int) string {
		return fmt.Sprintf("%s (%s)", report.Printable(r.LocationsA[i]), percent(means[i]))
	})
	fmt.Fprintf(w, "least like all others in the mean: %s\n", strings.Join(text, ", "))
}

// Most locations of a matrix in text: with numbers, and with signs.
const (
	mostNumbers = 12
	mostSigns   = 32
)

// signs stand for similarities, from the least to the greatest.
var signs = []rune("·░▒▓█")

// matrix writes all similarities: as numbers, or as signs if they are many.
func (r *Likeness) matrix(w io.Writer) {
	if r.of.Pairs == 0 {
		return
	}
	if len(r.LocationsA) > mostNumbers || len(r.LocationsB) > mostNumbers {
		r.signMap(w)
		return
	}
	right := make([]bool, len(r.LocationsB)+1)
	head := []string{"location"}
	for i, label := range r.LocationsB {
		head, right[i+1] = append(head, report.Cell(label)), true
	}
	var rows [][]string
	for i, label := range r.LocationsA {
		row := []string{report.Cell(label)}
		for j := range r.LocationsB {
			s, _ := r.of.At(i, j)
			row = append(row, similarity(s.Lowest, s.Highest))
		}
		rows = append(rows, row)
	}
	fmt.Fprintln(w)
	report.WriteTable(w, head, right, slices.Values(rows))
}

// signMap writes a sign for each pair, or for several neighbours together.
func (r *Likeness) signMap(w io.Writer) {
	g := r.grouped(mostSigns)
	width := 0
	for _, label := range g.rows {
		width = max(width, len([]rune(label)))
	}
	least := slices.Min(g.values)
	fmt.Fprintln(w)
	for i, label := range g.rows {
		line := make([]rune, 0, 2*len(g.columns))
		for j := range g.columns {
			step := len(signs) - 1
			if v := g.values[i*len(g.columns)+j]; v < 1 && least < 1 {
				step = min(int((v-least)/(1-least)*float64(len(signs))), len(signs)-1)
			}
			line = append(line, signs[step], signs[step])
		}
		fmt.Fprintf(w, "%s%s  %s\n", report.Printable(label), strings.Repeat(" ", width-len([]rune(label))), string(line))
	}
	var steps []string
	for i, s := range signs {
		steps = append(steps, fmt.Sprintf("%c from %s", s, percent(least+(1-least)*float64(i)/float64(len(signs)))))
	}
	fmt.Fprintf(w, "\n%s\n", strings.Join(steps, "  "))
	of := "B"
	if r.of.Single {
		of = "the same file"
	}
	fmt.Fprintf(w, "columns are the locations of %s, in their order", of)
	if g.each > 1 {
		fmt.Fprintf(w, "; each line and column is %d of them, and their mean", g.each)
	}
	fmt.Fprintln(w)
}
