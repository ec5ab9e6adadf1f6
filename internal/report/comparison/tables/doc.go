// Package tables has the tables of a comparison: which events and calls of two runs belong together, what regions and call paths differ by,
// and how skew and dissimilarity change with time. They are made of what package contrast found, and written by the encoders of tables.
//
// [All] lists them, and [Source] has what they are made of.
package tables
