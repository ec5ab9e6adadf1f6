// Package waits writes the answers about waits and the critical path: text for people, JSON, and the tables waits and critical_path. What they say is
// found by package waits of analysis.
//
// [Find] makes a [Report] of waits, and [Critical] one of the critical path. [Analysis] has their tables.
package waits
