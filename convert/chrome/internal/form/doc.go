// Package form has the names in trace events that have a meaning to Pando: export writes them, and reading recognizes them.
package form
