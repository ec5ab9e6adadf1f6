package clusters

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/convert/columnar/encode"
	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/report/tables"
)

// Names of the tables.
const (
	clusterTableName = "clusters"
	conceptTableName = "concepts"
)

// known describes the tables.
func known() []table.Schema {
	return []table.Schema{clusterTable(&Report{}).Schema, conceptTable(&LatticeReport{}).Schema}
}

// Analysis gives the tables to others than the verb: of clusters by pairs.
var Analysis = &tables.Analysis{Verb: "cluster", Names: TableNames(), Schemas: known, Make: answer}

// TableNames lists the tables.
func TableNames() []string { return []string{clusterTableName, conceptTableName} }

// answer makes tables of a question: of clusters by pairs.
func answer(ctx context.Context, q tables.Question, names []string) (*tables.Set, error) {
	from := []Source{{q.Trace, q.Window}}
	c, err := Find(ctx, from, cluster.Options{By: cluster.Usual, Memory: q.Memory})
	if err != nil {
		return nil, err
	}
	return Tables(ctx, c, from, names)
}

// Tables returns tables of clusters by their names.
func Tables(ctx context.Context, c *cluster.Clusters, from []Source, names []string) (*tables.Set, error) {
	if err := tables.Check("a clustering", TableNames(), names); err != nil {
		return nil, err
	}
	set := &tables.Set{About: []encode.Property{{Name: "pando.clustered_by", Value: c.By.String()}}}
	for _, name := range names {
		if name == clusterTableName {
			set.Tables = append(set.Tables, clusterTable(New(c, from)))
			continue
		}
		l, err := NewLattice(ctx, c, from, 0)
		if err != nil {
			return nil, err
		}
		set.Tables = append(set.Tables, conceptTable(l))
	}
	return set, nil
}

// memberRow is a location in its group, nil without calls.
type memberRow struct {
	group  *Group
	member *Member
}

// rows yields the locations of all groups, then those without calls.
func (r *Report) rows(yield func(memberRow) bool) {
	for i := range r.Groups {
		for j := range r.Groups[i].Members {
			if !yield(memberRow{&r.Groups[i], &r.Groups[i].Members[j]}) {
				return
			}
		}
	}
	for i := range r.WithoutCalls {
		if !yield(memberRow{nil, &r.WithoutCalls[i]}) {
			return
		}
	}
}

// clusterTable is the table of groups.
func clusterTable(r *Report) *table.Table {
	columns := []table.ColumnOf[memberRow]{
		text("trace", "name of the file", func(m *memberRow) string { return m.member.Trace }),
		table.Number("location", "", "id of the location", func(_ *table.Catalog, m *memberRow) int64 { return int64(m.member.Location) }),
		text("location_label", "how people call it: `rank 3`", func(m *memberRow) string { return m.member.LocationLabel }),
		numberOrNull("rank", "MPI rank of its process; null if it has none", func(m *memberRow) *int64 { return m.member.Rank }),
		table.NumberOrNull("group", "", "number of its group, from 1, the largest first; null if the location has no calls", func(_ *table.Catalog, m *memberRow) (int64, bool) {
			if m.group == nil {
				return 0, false
			}
			return int64(m.group.Number), true
		}),
		textOrNull("group_name", "name of the group, which holds for its members alone", func(m *memberRow) *string {
			if m.group == nil {
				return nil
			}
			return &m.group.Name
		}),
		table.Truth("representative", "the location is the one that is most similar to all of its group", func(_ *table.Catalog, m *memberRow) bool {
			return m.group != nil && m.group.Representative.Trace == m.member.Trace && m.group.Representative.Location == m.member.Location
		}),
	}
	return table.FromList(table.Schema{Name: clusterTableName, Doc: "One row for each location: the group of locations that it is alike, group by group."},
		columns, func(*table.Catalog) iter.Seq[memberRow] { return r.rows })
}

// conceptTable is the table of concepts.
func conceptTable(r *LatticeReport) *table.Table {
	number := func(name, doc string, get func(c *Concept) int) table.ColumnOf[Concept] {
		return tables.Count(name, doc, func(c *Concept) int64 { return int64(get(c)) })
	}
	columns := []table.ColumnOf[Concept]{
		number("concept", "number of the concept, from 1, which has all locations", func(c *Concept) int { return c.Number }),
		text("name", "name of its locations, which holds for them alone; empty if there are none", func(c *Concept) string { return c.Name }),
		number("locations", "number of locations", func(c *Concept) int { return c.Locations }),
		number("attributes", "number of attributes that all of them have: pairs of regions, functions or call paths", func(c *Concept) int { return c.Attributes }),
		number("exact", "number of the locations that have these attributes and no other", func(c *Concept) int { return c.Exact }),
		text("own", "the attributes that no concept above has, one a line; names in a pair or path have ` > ` between", func(c *Concept) string { return strings.Join(c.ownTexts(), "\n") }),
		text("above", "numbers of the neighbours with more locations, separated by commas", func(c *Concept) string { return joined(c.Above) }),
		text("below", "numbers of the neighbours with fewer locations", func(c *Concept) string { return joined(c.Below) }),
	}
	return table.FromList(table.Schema{Name: conceptTableName, Doc: "One row for each concept of the lattice: a set of locations, and all that they have in common."},
		columns, func(*table.Catalog) iter.Seq[Concept] { return slices.Values(r.Concepts) })
}

// ownTexts returns all attributes of its own.
func (c *Concept) ownTexts() (list []string) {
	list = append(list, c.Own.Functions...)
	for _, p := range c.Own.Pairs {
		caller := ""
		if p.Caller != nil {
			caller = *p.Caller
		}
		list = append(list, caller+" > "+p.Callee)
	}
	for _, path := range c.Own.Contexts {
		list = append(list, strings.Join(path, " > "))
	}
	return list
}

func joined(list []int) string {
	var out []string
	for _, n := range list {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ",")
}

func text[R any](name, doc string, get func(*R) string) table.ColumnOf[R] {
	return table.String(name, doc, func(_ *table.Catalog, r *R, dst []byte) ([]byte, bool) { return append(dst, get(r)...), true })
}

func textOrNull[R any](name, doc string, get func(*R) *string) table.ColumnOf[R] {
	return table.String(name, doc, func(_ *table.Catalog, r *R, dst []byte) ([]byte, bool) {
		s := get(r)
		if s == nil {
			return dst, false
		}
		return append(dst, *s...), true
	})
}

func numberOrNull[R any](name, doc string, get func(*R) *int64) table.ColumnOf[R] {
	return table.NumberOrNull(name, "", doc, func(_ *table.Catalog, r *R) (int64, bool) {
		n := get(r)
		if n == nil {
			return 0, false
		}
		return *n, true
	})
}
