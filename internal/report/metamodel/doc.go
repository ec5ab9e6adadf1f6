// Package metamodel writes what traces and answers can consist of: kinds of records with their fields, tables with their columns, summaries, and the
// conditions of checks. All of it is taken from the tables that the program works with, so that nothing here can differ from them.
package metamodel
