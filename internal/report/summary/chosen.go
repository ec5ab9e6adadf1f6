package summary

import (
	"slices"

	"github.com/pandotrace/pando/internal/report"
)

// chosenColumn is a column that is shown: at is its place among all columns of the table.
type chosenColumn[R comparable] struct {
	*column[R]
	at int
}

// shownColumns returns the columns that are chosen, or all.
func (t *rowsOf[R]) shownColumns() []chosenColumn[R] {
	if t.chosen != nil {
		return t.chosen
	}
	list := make([]chosenColumn[R], len(t.columns))
	for i := range list {
		list[i] = chosenColumn[R]{&t.columns[i], i}
	}
	return list
}

// choose leaves out all columns but those of the given names, in their order; none leaves out none. A name is that in JSON, or that in the
// option Sort.
func (t *rowsOf[R]) choose(wanted []string) error {
	for _, name := range wanted {
		at := slices.IndexFunc(t.columns, func(c column[R]) bool { return c.Name == name })
		if at < 0 {
			at = t.column(name)
		}
		if at < 0 {
			return &report.ColumnError{Name: name, Columns: columnNames(t.schema())}
		}
		if slices.ContainsFunc(t.chosen, func(o chosenColumn[R]) bool { return o.at == at }) {
			return &report.ColumnError{Name: name, Twice: true}
		}
		c := t.columns[at]
		c.spare = 0
		if c.head == "" { // text has it only if it is chosen
			c.head, c.right = c.Name, c.Type != "string"
			c.text = func(r R) string {
				v := c.value(r)
				return report.Printable(string(v.appendText(nil)))
			}
		}
		t.chosen = append(t.chosen, chosenColumn[R]{&c, at})
	}
	return nil
}

// sortNames lists the names of columns in the option Sort, each once.
func sortNames(columns []Column) (names []string) {
	for i := range columns {
		if name := columns[i].sortName(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// columnNames lists the names of columns in JSON.
func columnNames(columns []Column) (names []string) {
	for i := range columns {
		names = append(names, columns[i].Name)
	}
	return names
}

// ColumnNames lists the columns of a kind of rows as the option Columns names them, SortNames as the option Sort does.
func ColumnNames(by string) []string { return columnNames(Columns(by)) }

// SortNames lists the columns of a kind of rows as the option Sort names them.
func SortNames(by string) []string { return sortNames(Columns(by)) }
