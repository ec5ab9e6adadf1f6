// Package rule has the language of conditions on rows of tables: duration > 20ms && name startsWith "MPI_".
//
//	Parse        reads an expression into nodes
//	Node.Bind    finds its columns in a schema and checks all types
//	Node.Eval    computes it for the rows of a batch, column by column
//	Conjuncts    splits a condition at its outermost "and", for planners
//	Error        says what is wrong, with a caret below the place
//
// The language is that of expr-lang/expr, as far as rows need it, with lengths of time as literals. Conditions have three values, as in SQL: what
// is computed of null is null, and a row counts if its condition is true. x == nil asks for null.
//
// Values are computed for whole batches over flat slices. A condition on a column of names is evaluated once for each name, not for each row.
package rule
