package query

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/rule"
)

// column is a column of the answer.
type column struct {
	table.Column
	kind  rule.Type
	node  *rule.Node // as it was written
	value *rule.Node // what is computed of rows; nil for count()
	names *table.Names
	agg   string  // the aggregate: count, sum, ...; empty for a value of a row or a group
	share float64 // of a quantile
}

// isAggregate reports whether an expression adds up rows.
func isAggregate(n *rule.Node) bool {
	if n.Kind != rule.Call {
		return false
	}
	_, _, ok := aggregate(n.Name)
	return ok
}

// aggregate returns an aggregate by its name: that of a quantile is quantile, with its share.
func aggregate(name string) (agg string, share float64, ok bool) {
	switch name {
	case "count", "sum", "mean", "min", "max":
		return name, 0, true
	case "median":
		return "quantile", 0.5, true
	}
	digits, isShare := strings.CutPrefix(name, "p")
	percent, err := strconv.ParseUint(digits, 10, 8)
	return "quantile", float64(percent) / 100, isShare && err == nil && percent <= 100
}

// addColumn adds a column to the answer.
func (p *Plan) addColumn(n *rule.Node, aggregated bool) error {
	c := column{node: n, value: n}
	c.Null = true
	if aggregated {
		c.agg, c.share, _ = aggregate(n.Name)
		c.value = nil
		if len(n.Args) > 1 || len(n.Args) == 0 && c.agg != "count" {
			return n.Bad("%s takes one value", n.Name)
		}
		if len(n.Args) == 1 {
			c.value = n.Args[0]
		}
	}
	if c.value != nil {
		if err := c.value.Bind(p.scope); err != nil {
			return err
		}
		if c.value.Type == rule.Null || c.value.Type == rule.List {
			return c.value.Bad("%s cannot be shown", c.value.Type)
		}
	}
	if err := c.define(p.scope); err != nil {
		return err
	}
	c.Name = p.unique(c.Name)
	p.columns = append(p.columns, c)
	return nil
}

// define finds name and type of the column.
func (c *column) define(s *rule.Scope) error {
	if c.agg == "count" {
		c.Column, c.kind = table.Column{Name: identifier(c.node.Source()), Type: table.Int64}, rule.Int
		return nil
	}
	c.kind = c.value.Type
	switch c.agg {
	case "sum", "mean", "quantile":
		if k := c.kind; k != rule.Int && k != rule.Float && k != rule.Time {
			return c.value.Bad("%s takes numbers, and this is %s", c.node.Name, k)
		}
		if c.agg == "mean" && c.kind == rule.Int || c.agg == "quantile" && c.kind == rule.Int {
			c.kind = rule.Float
		}
	case "min", "max":
		if k := c.kind; k != rule.Int && k != rule.Float && k != rule.Time {
			return c.value.Bad("%s takes numbers, and this is %s", c.node.Name, k)
		}
	}
	c.Type = map[rule.Type]table.Type{rule.Int: table.Int64, rule.Time: table.Int64, rule.Float: table.Double, rule.Bool: table.Bool, rule.Text: table.Text}[c.kind]
	c.Name = identifier(c.node.Source())
	if v := c.value; v.Kind == rule.Column {
		of := s.Columns[v.Place]
		if c.agg == "" {
			c.Name, c.Type, c.names = strings.ReplaceAll(of.Name, ".", "_"), of.Type, s.Names[v.Place]
		}
		if c.agg == "" || c.kind != rule.Float {
			c.Unit = of.Unit
		}
	}
	if c.kind == rule.Time {
		if c.Unit = "ns"; !strings.HasSuffix(c.Name, "ns") {
			c.Name += "_ns"
		}
	}
	return nil
}

// unique makes a name that no column has yet.
func (p *Plan) unique(name string) string {
	try := name
	for n := 2; ; n++ {
		taken := false
		for i := range p.columns {
			taken = taken || p.columns[i].Name == try
		}
		if !taken {
			return try
		}
		try = name + "_" + strconv.Itoa(n)
	}
}

// identifier makes a name of a column out of an expression: sum(exclusive) is sum_exclusive.
func identifier(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	if len(words) == 0 {
		return "value"
	}
	return strings.Join(words, "_")
}
