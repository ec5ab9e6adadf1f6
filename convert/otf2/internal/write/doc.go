// Package write makes an OTF2 archive of any [trace.Source]. Events get their local ids and times back, and chunks end where the OTF2
// library would end them, so that a trace from an archive becomes the same bytes again.
package write
