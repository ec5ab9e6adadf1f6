package table

// A Lookup prepares definitions for the columns of a table: names with their codes, or the places of fields by kind. It is a variable in
// the file of the table. Each catalog has one T, made when the catalog is made.
type Lookup[T any] struct {
	index int
	build func(*Catalog) *T
}

// lookups make the values of all lookups of a catalog.
var lookups []func(*Catalog)

// NewLookup declares a lookup. Only declarations of variables may call it.
func NewLookup[T any](build func(*Catalog) *T) Lookup[T] {
	l := Lookup[T]{len(lookups), build}
	lookups = append(lookups, func(x *Catalog) { l.Of(x) })
	return l
}

// Of returns the value of a catalog. While the catalog is being made it makes the value, so that one lookup may use another.
func (l Lookup[T]) Of(x *Catalog) *T {
	if v := x.lookups[l.index]; v != nil {
		return v.(*T)
	}
	v := l.build(x)
	x.lookups[l.index] = v
	return v
}
