// Package account tells what the bytes of a file are for ([Measure]), and how much smaller the graph of shapes is than the call trees
// that it stands for ([MeasureCompaction]).
package account
