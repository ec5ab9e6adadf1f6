package edit

import "github.com/pandotrace/pando/trace"

// Define returns a trace with further definitions behind those that it has, which must be complete, as they are in Pando files. Closing the result closes src.
func Define(src trace.Source, further []trace.Record) (trace.Source, error) {
	log, err := src.Definitions(0)
	if err != nil {
		return nil, err
	}
	return &defined{src, len(log), further}, nil
}

// defined is a trace with further definitions.
type defined struct {
	trace.Source
	before  int // definitions of the trace
	further []trace.Record
}

// Definitions implements trace.Source.
func (d *defined) Definitions(from int) ([]trace.Record, error) {
	if from >= d.before {
		return d.further[min(from-d.before, len(d.further)):], nil
	}
	list, err := d.Source.Definitions(from)
	return append(list[:len(list):len(list)], d.further...), err
}

// DefinitionsPart implements trace.PartialDefiner.
func (d *defined) DefinitionsPart(from, max int) ([]trace.Record, error) {
	if from < d.before {
		return trace.DefinitionsPart(d.Source, from, max)
	}
	list, err := d.Definitions(from)
	return list[:min(max, len(list))], err
}

// Deviations implements trace.Deviant.
func (d *defined) Deviations() ([]trace.CallDeviation, bool) { return trace.DeviationsOf(d.Source) }
