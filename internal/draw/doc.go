// Package draw makes pictures of timelines: locations by process, a colour for each region that is the same in all pictures, an
// axis, a legend, and messages, as PNG or SVG.
package draw
