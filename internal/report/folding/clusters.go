package folding

import (
	"context"
	"fmt"
	"strings"

	"github.com/pandotrace/pando/analysis/cluster"
	"github.com/pandotrace/pando/analysis/fold"
)

// byCluster names groups of locations that are alike, as the selector @group does: "cluster" by pairs, "cluster:tree" by trees.
const byCluster = "cluster"

// Bys returns the names of the ways to group locations.
func Bys() []string { return append(fold.Bys(), byCluster) }

// CheckBy returns an error about a name that is none of a way to group locations. The empty one is that of the usual way.
func CheckBy(name string) error {
	if _, ok, err := clustersBy(name); ok || name == "" {
		return err
	}
	if _, err := fold.ParseBy(name); err != nil {
		return fmt.Errorf("%q is none of %s", name, strings.Join(Bys(), ", "))
	}
	return nil
}

// clustersBy reads a name of clusters: ok is false for other ways.
func clustersBy(name string) (by cluster.By, ok bool, err error) {
	first, rest, named := strings.Cut(name, ":")
	if first != byCluster {
		return 0, false, nil
	}
	if by = cluster.Usual; named {
		by, err = cluster.Named(rest)
	}
	return by, true, err
}

// clusters groups locations by what they call in the whole file. Groups have the numbers by which the selector @group knows them.
func (q *Question) clusters(ctx context.Context, by cluster.By) ([]fold.Group, error) {
	r := q.Trace.Reader
	c, err := cluster.Find(ctx, []cluster.Side{{Name: q.Trace.Path, Reader: r, Window: r.All()}}, cluster.Options{By: by, Memory: q.Memory})
	if err != nil {
		return nil, err
	}
	found := map[uint64]bool{}
	var groups []fold.Group
	for i := range c.Groups {
		g := fold.Group{Name: fmt.Sprintf("%d: %s", i+1, c.Groups[i].Rule.String())}
		for _, m := range c.Groups[i].Members {
			id := c.Members[m].Location
			g.Locations, found[id] = append(g.Locations, id), true
		}
		groups = append(groups, g)
	}
	none := fold.Group{Name: "without calls"}
	ids, err := q.Window.LocationIDs()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !found[id] {
			none.Locations = append(none.Locations, id)
		}
	}
	return append(groups, none), nil
}
