package tables

import (
	"iter"
	"slices"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/tables"
	"github.com/pandotrace/pando/trace"
)

// binRow is a part of the time of a pair of locations.
type binRow struct{ pair, bin int }

func (s *Source) bin(r *binRow) *contrast.SkewBin { return &s.Comparison.Pairs[r.pair].Series[r.bin] }

// border returns when a bin begins: the first tick that belongs to it.
func (s *Source) border(pair, bin int) int64 {
	w := s.Comparison.Windows[0]
	return s.since(0, w[0]+int64(float64(w[1]-w[0])*float64(bin)/float64(len(s.Comparison.Pairs[pair].Series))))
}

// binColumns are the columns of a bin.
func binColumns(s *Source) []table.ColumnOf[binRow] {
	return slices.Concat(places(s, func(r *binRow) [2]*trace.Place { return s.pairPlaces(r.pair) }),
		[]table.ColumnOf[binRow]{tables.Count("bin", "number of the part of the time of A, from 0", func(r *binRow) int64 { return int64(r.bin) })},
		tables.Length(s.Comparison.Units, "begin_", "when it begins, since the first event of A", func(r *binRow) int64 { return s.border(r.pair, r.bin) }),
		tables.Length(s.Comparison.Units, "end_", "when the next one begins", func(r *binRow) int64 { return s.border(r.pair, r.bin+1) }))
}

// bins yields the bins for which keep holds.
func (s *Source) bins(keep func(*contrast.SkewBin) bool) iter.Seq[binRow] {
	return func(yield func(binRow) bool) {
		for i := range s.Comparison.Pairs {
			for j := range s.Comparison.Pairs[i].Series {
				if r := (binRow{i, j}); keep(s.bin(&r)) && !yield(r) {
					return
				}
			}
		}
	}
}

// skewTable is the table of skew.
func skewTable(s *Source) *table.Table {
	columns := slices.Concat(binColumns(s),
		[]table.ColumnOf[binRow]{tables.Count("pairs", "number of calls that begin in it in A and have a partner in B", func(r *binRow) int64 { return int64(s.bin(r).Pairs) })},
		tables.Length(s.Comparison.Units, "least_", "the least skew: by how much longer the time from the first pair's begin to the call's begin is in B", func(r *binRow) int64 { return s.bin(r).Least }),
		tables.Length(s.Comparison.Units, "most_", "the greatest skew", func(r *binRow) int64 { return s.bin(r).Most }))
	return table.FromList(table.Schema{Name: "skew", Doc: "One row for each pair of locations and part of the time of A (400 unless a picture is made) in which calls with a partner begin: how far B is behind A."},
		columns, func(*table.Catalog) iter.Seq[binRow] {
			return s.bins(func(b *contrast.SkewBin) bool { return b.Pairs > 0 })
		})
}

// dissimilarity is the table of dissimilarity.
func dissimilarity(s *Source) *table.Table {
	columns := append(binColumns(s),
		tables.Count("calls", "number of calls that begin in it, of both sides; those that B alone has count near the last call of A", func(r *binRow) int64 { return int64(s.bin(r).Enters) }),
		tables.Count("alone", "those of them that have no partner", func(r *binRow) int64 { return int64(s.bin(r).Lone) }),
		table.Real("dissimilarity", "", "`alone` as a share of `calls`", func(_ *table.Catalog, r *binRow) (float64, bool) {
			b := s.bin(r)
			return float64(b.Lone) / float64(b.Enters), true
		}))
	return table.FromList(table.Schema{Name: "dissimilarity", Doc: "One row for each pair of locations and part of the time of A in which calls begin: the share of calls that are not equal."},
		columns, func(*table.Catalog) iter.Seq[binRow] {
			return s.bins(func(b *contrast.SkewBin) bool { return b.Enters > 0 })
		})
}
