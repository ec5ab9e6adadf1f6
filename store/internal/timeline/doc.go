// Package timeline divides a window into pixels and tells how each location spent each of them. It takes bins of nodes whose cells
// are no wider than a pixel, and follows the calls of slices for the rest.
package timeline
