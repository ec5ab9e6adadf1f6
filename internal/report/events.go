package report

import "github.com/pandotrace/pando/trace"

// recordPrinter writes records, one a line, as text or as JSON.
type recordPrinter struct {
	text *textLines
	json *jsonLines // nil for text
}

func newRecordPrinter(t *Trace, f Format) recordPrinter {
	if f == JSON {
		return recordPrinter{json: newJSONLines(t)}
	}
	return recordPrinter{text: newTextLines(t)}
}

func (p *recordPrinter) event(dst []byte, e *trace.Event) []byte {
	if p.json != nil {
		return p.json.event(dst, e.Batch, e.Index, e.Ordinal)
	}
	return p.text.event(dst, e.Batch, e.Index)
}

func (p *recordPrinter) definition(dst []byte, d *trace.Record) []byte {
	if p.json != nil {
		return p.json.definition(dst, d)
	}
	return p.text.definition(dst, d)
}

func (p *recordPrinter) auxiliary(dst []byte, id trace.StreamID, b *trace.Batch, i int) []byte {
	if p.json != nil {
		return p.json.auxiliary(dst, id, b, i)
	}
	return p.text.auxiliary(dst, id, b, i)
}
