package trace

// Kinds that stand where a trace was cut.

const firstCutEvent = 160

// Kinds of events.
const (
	// KindCutBefore says that the event after it stands for one of the time given, before the trace was cut: the enter of a call
	// that was open there, or an end of a message that was on its way. Such pairs are a location's first events.
	KindCutBefore Kind = firstCutEvent + 0
	// KindCutAfter is the same for an event behind the cut. Such pairs are a location's last events.
	KindCutAfter Kind = firstCutEvent + 1
)

var cutEventSpecs = []Spec{
	{ID: KindCutBefore, Name: "CutBefore", Fields: []Field{timestamp("time").value()}},
	{ID: KindCutAfter, Name: "CutAfter", Fields: []Field{timestamp("time").value()}},
}
