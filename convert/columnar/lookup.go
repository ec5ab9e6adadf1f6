package columnar

// lookup is a preparation of the definitions for the columns of some tables: names with their codes, fields by kind. It stands in the
// file of its table, and each catalog builds it once.
type lookup[T any] struct {
	index int
	build func(*catalog) *T
}

// lookups build all lookups of a catalog.
var lookups []func(*catalog)

// newLookup declares a lookup. It is called where a variable of a package is declared.
func newLookup[T any](build func(*catalog) *T) lookup[T] {
	l := lookup[T]{len(lookups), build}
	lookups = append(lookups, func(x *catalog) { l.of(x) })
	return l
}

// of returns the lookup of a catalog. It builds the lookup only while the catalog itself is made.
func (l lookup[T]) of(x *catalog) *T {
	if v := x.lookups[l.index]; v != nil {
		return v.(*T)
	}
	v := l.build(x)
	x.lookups[l.index] = v
	return v
}
