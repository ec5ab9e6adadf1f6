// Package tables writes the tables that analyses give: of clusters, of compared runs, of waits. They are tables of package table, made of an answer
// and not of a file, and written by the encoders of package columnar, so that they look like exported ones.
//
// An analysis describes its tables with columns of package table and those of this one ([Count], [Length]), and puts them into a [Set], which
// writes one or all of them. [Analysis] gives them to others than its verb: to the server and the documentation.
package tables
