// Package store is Pando's engine: a Writer that turns a trace into one file in one pass, and a Reader that gives back
// any time window of it.
package store
