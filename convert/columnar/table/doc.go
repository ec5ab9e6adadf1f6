// Package table has the parts that tables are made of: a [Schema] names the columns, constructors such as [Number] and [Instant] make
// columns, and [FromParts], [FromList] and [FromFlow] make rows. Rows of a [store.Window] become a [Batch] of vectors, one for each
// column, which encoders turn into bytes.
//
// A [Catalog] holds the definitions of a trace as columns need them. [Declare] adds a table to those that can be exported.
package table
