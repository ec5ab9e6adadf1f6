// Package scan reads JSON text piece by piece: values, strings, decimal numbers without rounding, and times, from a buffered file that may
// be compressed. Errors name file and line.
package scan
