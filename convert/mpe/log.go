package mpe

import "github.com/pandotrace/pando/trace"

// Log is a log of definitions in the making.
type Log struct {
	Records []trace.Record
	strings map[string]uint64
}

// Undefined is the undefined reference of 32 bits.
const Undefined = 0xffffffff

// Add appends a definition without text.
func (l *Log) Add(kind trace.Kind, words ...uint64) {
	l.Records = append(l.Records, trace.Record{Kind: kind, Words: words})
}

// AddRecord appends a definition.
func (l *Log) AddRecord(r trace.Record) { l.Records = append(l.Records, r) }

// From returns the definitions from an index on.
func (l *Log) From(index int) []trace.Record {
	return l.Records[min(max(index, 0), len(l.Records)):]
}

// String returns the id of a string, which it defines if it is new.
func (l *Log) String(s string) uint64 {
	if id, ok := l.strings[s]; ok {
		return id
	}
	if l.strings == nil {
		l.strings = map[string]uint64{}
	}
	id := uint64(len(l.strings))
	l.strings[s] = id
	r := trace.Record{Kind: trace.KindString}
	r.Words = []uint64{id, r.PutText(s)}
	l.AddRecord(r)
	return id
}

// Strings returns the number of strings.
func (l *Log) Strings() int { return len(l.strings) }

// Lookup returns the id of a string that is defined.
func (l *Log) Lookup(s []byte) (id uint64, ok bool) {
	id, ok = l.strings[string(s)]
	return id, ok
}

// Attribute defines an attribute.
func (l *Log) Attribute(id uint64, name, description string, typ trace.ValueType) {
	l.Add(trace.KindAttribute, id, l.String(name), uint64(typ), l.String(description))
}
