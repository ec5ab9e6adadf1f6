package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/store"
)

// Selection finds groups of the locations of a whole trace by text, as selectors of locations have them. It keeps the groups that it has made.
// The zero value is ready for use; it is not safe for concurrent use.
type Selection struct{ made map[By]*Clusters }

// Usual is what groups are alike by where a text does not say it.
const Usual = Pairs

// groupWord begins the names of groups.
const groupWord = "group"

// IsSelector reports whether a selector of locations ("@group:2", "!@group:tree:1") names a group: then the structure of the whole file
// has to be read.
func IsSelector(text string) bool {
	return strings.HasPrefix(strings.TrimPrefix(text, "!"), "@"+groupWord+":")
}

// Locations returns the locations of the group that a text names: "group:2" for the second one by pairs, "group:functions:2".
func (s *Selection) Locations(ctx context.Context, r *store.Reader, text string) (ids []uint64, err error) {
	by, number, err := parseGroup(text)
	if err != nil {
		return nil, err
	}
	c := s.made[by]
	if c == nil {
		if c, err = Find(ctx, []Side{{Reader: r, Window: r.All()}}, Options{By: by}); err != nil {
			return nil, err
		}
		if s.made == nil {
			s.made = map[By]*Clusters{}
		}
		s.made[by] = c
	}
	switch n := len(c.Groups); {
	case n == 0:
		return nil, fmt.Errorf("there is no group by %s: no location has calls", by)
	case number < 1 || number > n:
		return nil, fmt.Errorf("there is no group %d by %s: their numbers are 1 to %d (pando cluster --by %s lists them)", number, by, n, by)
	}
	for _, m := range c.Groups[number-1].Members {
		ids = append(ids, c.Members[m].Location)
	}
	return ids, nil
}

// parseGroup reads "group:2" and "group:functions:2".
func parseGroup(text string) (by By, number int, err error) {
	word, rest, _ := strings.Cut(text, ":")
	by = Usual
	if name, digits, two := strings.Cut(rest, ":"); two {
		if by, err = Named(name); err != nil {
			return by, 0, err
		}
		rest = digits
	}
	number, err = strconv.Atoi(rest)
	if word != groupWord || err != nil {
		return by, 0, fmt.Errorf("a group of locations is called @%s:2 or @%s:functions:2", groupWord, groupWord)
	}
	return by, number, nil
}
