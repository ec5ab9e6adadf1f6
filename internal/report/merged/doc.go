// Package merged writes the merged call tree of locations, which package merge makes: as a tree in text with shares, locations and times, as
// JSON, as tables, as call trees for programs that show profiles, and as a picture. A [Report] is made of a tree by [New].
package merged
