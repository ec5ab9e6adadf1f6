// Package blockio holds bytes at rest. [BlockFile] writes frames one behind the other and closes a file with its footer;
// [Target] is an output that gets its name when it is complete; [Spool] and [Logs] keep bytes in a temporary file that memory
// has no room for; [OpenRemote] reads a file on a web server by range requests, and [ReadEnds] the first and last bytes of any file.
package blockio
