// Package shapes writes the classes of like calls of a window, and the calls that are unusual for their class, as package analysis/shapes finds them: as
// text, as JSON, and as tables.
package shapes
