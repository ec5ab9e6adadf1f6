// Package write exports a window of a Pando file as trace events.
package write
