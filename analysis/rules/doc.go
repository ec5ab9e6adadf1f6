// Package rules finds the rows of a trace's tables that break rules of the user: calls: region != "solve" || duration < 20ms.
//
//	Parse     reads one rule
//	ReadFile  reads a file of them
//	Find      finds the rows for which the condition of a rule is false
//	Error     says what is wrong with a rule: file, line and column, with a caret below the place
//
// # How it works
//
// A rule is turned round: its rows are those of a query (package query) for which the condition is false. The negation goes inward, so that what is
// left of a || b are two conditions, and each of them may narrow the query: duration < 20ms becomes duration >= 20ms, and shorter calls are not
// decoded. What a condition computes of null is null, which is not false: such a row breaks no rule.
//
// Of each rule, the first rows are kept and all are counted, by location. What lies around a row, the calls that are open there, is asked of the
// file for those that are kept.
package rules
