// Package blockio holds bytes at rest. [BlockFile] writes frames one behind the other and closes a file with its footer;
// [Target] is an output that gets its name when it is complete; [Spool] and [Logs] keep bytes in a temporary file that memory
// has no room for; [ReadEnds] reads the first and last bytes of any file, and [Distant] is one on a server.
package blockio
