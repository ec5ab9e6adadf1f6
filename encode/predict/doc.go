// Package predict tells what the values of a column will be, so that only what they depart from that has to be coded.
//
// A [Chooser] takes samples of the columns of a group of slices, and chooses a [Prediction] for each column where one pays: the value
// before, nothing, or a rate by which values grow with time or with another column; in steps of a unit; as whole numbers, if they are
// doubles that a number divides. [Append] and [Read] store them.
//
// A [Predictor] follows the values of a slice, in the order of events, and turns each into a code or back. Readers turn the codes of a
// column that follow each other in a run into numbers at once ([Predictor.Numbers]), which takes a fraction of the time.
package predict
