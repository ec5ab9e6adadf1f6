// Package otf reads traces in the Open Trace Format 1, that of VampirTrace and its contemporaries, without the OTF library.
//
// A trace STEM is an index STEM.otf, which says which processes each stream has, and up to five text files for each
// stream, whose number is hexadecimal: STEM.1a.def (definitions), .events, .snaps (snapshots), .stats (statistics),
// .marker; stream 0 has the definitions of the whole trace. Each file may be compressed (.z): one zlib stream, seldom
// finished, that begins anew at full flushes.
//
// A line is a record. Numbers are hexadecimal in small letters; keywords are in capitals, and long or short:
//
//	c7816dd                  time of the records that follow, in ticks
//	*10001                   their process
//	K1Y6V5                   KEY 1 TYPE 6 VALUE 5: an attribute of the next record
//	E1d                      ENTER 1d
//	S1aL400T5Cf4240          SEND 1a LEN 400 TAG 5 COMM f4240
//
// [Open] gives the trace as a [trace.Source]. Locations are processes. Definitions come back as they stand, followed by
// those of the model that are made of them; docs/fidelity.md tells how records become those of the model. The processes of
// a stream stand in one file, which is read once for all of them as long as they keep pace.
package otf
