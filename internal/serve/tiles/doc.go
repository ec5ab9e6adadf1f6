// Package tiles is what a viewer asks of a trace, in bytes that it can draw without further thought: bands of time by region, calls by depth,
// messages, counters and the rows that all these are drawn in.
//
// [NewRows] reads the rows of a trace once. A [Grid] divides its time into pixels of 2^level ticks, and these into tiles of [Pixels] pixels, so that
// whatever a viewer shows is made of tiles that it may keep. [Rows.Band], [Rows.Group] and [Rows.Calls] append a tile each; the reader is one of a
// request, so that the work ends with it.
//
// # Bytes of a tile
//
// All numbers are little-endian. A tile is a multiple of 4 bytes long, so that several may follow each other.
//
//	 0  "PTL", version 1
//	 4  u8   0: bands of a lane, 1: band of a group, 2: calls of a lane
//	 5  u8   level: a pixel has 2^level ticks
//	 6  u16  flags, 1: regions are u16, not u8; 2: there is blur
//	 8  i64  index of the tile: 0 is the one with the trace's first event
//	16  u32  number of the lane, or of the group
//	20  u16  rows
//	22  u16  pixels
//	24  u32  regions
//	28  u32  cells or calls
//	32  i64  of calls: all that last at least so many ticks are there
//	40  u32  for each region its place in the list of /rows, 0xffffffff for one that is not defined
//
// Bands go on with, for each row and pixel, the number of its cells (u8); the region of each cell, a place in the list of regions (u8 or u16);
// the share of each cell (u8); and if there is blur, by how much each pixel may be off (u8), in 255ths of it, rounded up. Shares of a
// pixel and its time without a call add up to 255; they are rounded by the largest remainder, and of equal ones the first region's comes first.
// Cells without a share are left out.
//
// Calls go on with u16 columns: row, depth, region, begin, end, in 64ths of a pixel from the begin of the tile, and one of u8: flags, 1: it begins
// before the tile, 2: it ends behind it, 4: it was never left. They are ordered by row, depth and begin.
package tiles
