// Package findings writes what analysis/check finds wrong in a trace: as text for people, as JSON, and as SARIF for the services that show such
// findings beside the code.
//
//	Question   a trace, and which rules
//	Find       asks it, and makes a [Report]
//	Known      what an earlier report found, which is no news
package findings
