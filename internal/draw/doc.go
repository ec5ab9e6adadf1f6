// Package draw makes pictures as PNG and SVG, which show the same; SVG has hints for the pointer, too.
//
// A [Chart] is a timeline: locations by process, a colour for each region that is the same in all pictures, messages, an axis and a
// legend. A [Heatmap] is a table of numbers as colours, a [Series] is how numbers change with time, and a [Contrast] shows two runs. Colours are told apart by
// people who lack one kind of cones.
package draw
