// Package comparison writes what the analysis package contrast found out about two runs: as text for people, as JSON, and as call trees
// for programs that show profiles.
//
// A [Report] is made of a comparison by [New]. Rows are regions, those that got slower first; what is in communication and waiting comes
// apart from the program's own work, since it follows from that as a rule.
package comparison
