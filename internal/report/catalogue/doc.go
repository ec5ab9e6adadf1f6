// Package catalogue lists the tables of all analyses: those of one window, which [Find] finds by the name of a table, and those of compared runs.
// docs/tables.md is written from it.
package catalogue
