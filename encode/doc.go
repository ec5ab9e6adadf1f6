// Package encode turns the data of a trace into bytes and back: shapes, slices, value columns, definitions.
//
// Structure and values part ways here. The events of one location in one slice become tokens, counted references to
// shapes ([Dictionary], [Folder]): equal call subtrees are stored once. What varies from event to event, times first
// of all, goes into value columns, one for each context that the structure gives ([Leaf]), coded by statistics that
// many slices share ([Model]).
//
// The package knows nothing of files: it imports the model (trace) and the facts of the format (format).
package encode
