// Package analyses has the verbs that analyse what programs did, beyond showing it: one file for each, with its flags and no logic. What they compute
// is in package analysis, and what they print in package report.
package analyses
