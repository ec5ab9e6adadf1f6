// Package report writes the answers to questions about traces: as text for people, as JSON and as CSV. Each answer has one JSON schema,
// whether the program prints it, the server sends it or another program reads it.
//
// An answer is a type with documented fields, in a file named after it. [Write] writes it in a [Format].
//
// Times are ticks of the trace's clock in fields whose names end in _ticks, counted from the trace's first event unless the field says
// otherwise. An id stands in a field named after its kind (region, location), the name of the definition next to it (region_name);
// both are null where the trace does not say. Integers have all their digits, and sums of ticks may have more than 64 bits.
package report
