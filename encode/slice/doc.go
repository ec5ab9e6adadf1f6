// Package slice turns the events of one lane in one slice of time into a block of bytes and back.
//
//	            structure                                   values
//	block  head | tokens: shapes and counts           | column by column: times, fields, attributes
//	            coded by the model of structure       | coded by the model of values
//
// A [Draft] collects the events of a slice. When the drafts of a group of slices are complete, [FitStatistics] chooses what they share
// ([Statistics]): contexts, predictions of values, clocks, the roster (which locations have how many events in each slice; a run is the events of one location in one slice), and the two models.
// [AppendBlock] then writes each draft.
//
// [Events] are decoded events. Decode reads the tokens, checks by arithmetic that they have as many events as the roster says,
// expands them to leaves, and decodes the values that the leaves have; Batch makes batches of them.
//
// [Structure] is the tokens alone: comparing and counting calls needs neither events nor values, nor the model of values
// ([TokenStatistics]).
//
// A value's context is its column or, where that pays, its column together with the event before (context.go, pairs.go). A value that is
// not a time is coded as its difference from a prediction (package predict), and most such values are decoded column by column (fill_columns.go).
package slice
