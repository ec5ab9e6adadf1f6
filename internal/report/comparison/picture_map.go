package comparison

import (
	"math"

	"github.com/pandotrace/pando/internal/draw"
	"github.com/pandotrace/pando/internal/report"
)

// maps makes the maps of all pairs: what own work takes longer, and where calls are not equal, if there are such.
func (p *picture) maps() {
	each := (len(p.own) + mostMapRows - 1) / mostMapRows
	rows := p.mapRows(each)
	own := draw.ContrastMap{
		Title: "Own work of all locations", ValuesAre: "by how much calls of computation take longer in B (orange) or less (blue), where they begin in A; communication and waiting left aside",
		Rows: rows, Scale: draw.Diverging, Text: signedDuration,
	}
	unequal := draw.ContrastMap{
		Title: "Dissimilarity of all locations", ValuesAre: "share of calls that have no equal partner, over the time of A",
		Rows: rows, Text: percent,
	}
	some := false
	for row := range rows {
		from, to := row*each, min((row+1)*each, len(p.own))
		for x := 0; x < p.spans[0]; x += cellPixels {
			own.Values = append(own.Values, p.ownOf(from, to, x))
			share := p.unequalOf(from, to, x)
			unequal.Values = append(unequal.Values, share)
			some = some || share > 0
		}
	}
	own.Cell, unequal.Cell = cellPixels, cellPixels
	p.out.Maps = []draw.ContrastMap{own}
	if some {
		p.out.Maps = append(p.out.Maps, unequal)
	}
}

// mapRows returns the labels of rows of several pairs.
func (p *picture) mapRows(each int) []string {
	var list []string
	for i := range p.comparison.Pairs {
		list = append(list, p.place(i, 0).Label)
	}
	return joined(list, each)
}

// ownOf returns the difference of own work in a cell: of several pairs the largest one.
func (p *picture) ownOf(from, to, x int) float64 {
	most := math.NaN()
	for pair := from; pair < to; pair++ {
		sum := math.NaN()
		for _, v := range p.own[pair][x:min(x+cellPixels, p.spans[0])] {
			switch {
			case math.IsNaN(sum):
				sum = v
			case !math.IsNaN(v):
				sum += v
			}
		}
		if !math.IsNaN(sum) && !(math.Abs(sum) <= math.Abs(most)) {
			most = sum
		}
	}
	return most
}

// unequalOf returns the share of calls that are not equal in a cell of some pairs.
func (p *picture) unequalOf(from, to, x int) float64 {
	var lone, all uint64
	for pair := from; pair < to; pair++ {
		for _, b := range p.binsOf(pair, x, min(x+cellPixels, p.spans[0])) {
			lone, all = lone+b.Lone, all+b.Enters
		}
	}
	if all == 0 {
		return math.NaN()
	}
	return float64(lone) / float64(all)
}

// signedDuration writes a time in seconds with its sign.
func signedDuration(s float64) string {
	if s < 0 {
		return "-" + report.Duration(-s)
	}
	return "+" + report.Duration(s)
}
