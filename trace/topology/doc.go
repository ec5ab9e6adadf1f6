// Package topology reads the Cartesian topologies that a program has defined: grids on which the ranks of a communicator have coordinates.
//
//	Of          the topologies of a trace
//	Topology    dimensions, and the place of each member
//	Places      finds the coordinates of locations
//	Define      makes the definitions of a topology
package topology
