// Package ahead works on the items of a sequence on all processors, and gives the results in the order of the items: while the results of one are used,
// the next ones are worked on. [Each] does so with a [Work]; [Once] makes one of a function with one result, and [Of] gives results their type.
package ahead
