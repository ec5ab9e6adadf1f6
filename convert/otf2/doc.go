// Package otf2 reads and writes OTF2 archives, the trace format of Score-P and its relatives, without the OTF2 library.
//
// An archive is an anchor file NAME.otf2, global definitions NAME.def, and a folder NAME with up to three files per
// location: LOC.evt (events), LOC.def (mapping tables, clock offsets), LOC.snap (snapshots). All but the anchor are
// sequences of chunks of one fixed size, of which no record crosses a border:
//
//	chunk   03 | byte order | first, last event number (8 bytes each) | records | 00 and padding, or 02 01 at the end
//	record  id | length (1 byte, or FF and 8 bytes) | payload                    "form L", nearly everything
//	record  id | one compressed integer                                          "form S", ten old kinds of events
//
// [Open] gives the archive as a [trace.Source], [Write] makes an archive of any source. Package internal/form describes the files for
// both, internal/read and internal/write do the work.
package otf2
