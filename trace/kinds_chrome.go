package trace

// Kinds that Chrome's trace events brought in.

const firstChromeEvent = 152

// Kinds of events.
const (
	// KindSpanBegin and KindSpanEnd are begin and end of something that lasts and is no call: it has a number of its own, may
	// overlap others, also of its own region, and may end on another location. KindSpanPoint happens in between.
	KindSpanBegin Kind = firstChromeEvent + 0
	KindSpanEnd   Kind = firstChromeEvent + 1
	KindSpanPoint Kind = firstChromeEvent + 2
	// KindPhaseEvent is an event of which only the letter says what it is; id is 0 if it has none.
	KindPhaseEvent Kind = firstChromeEvent + 3
)

var chromeEventSpecs = []Spec{
	{ID: KindSpanBegin, Name: "SpanBegin", Fields: []Field{ref("region", SpaceRegion, 32).key(), num("span", 64).value()}, Pairs: []Pair{opens(PairSpan, ByKey, "region", "span")}},
	{ID: KindSpanEnd, Name: "SpanEnd", Fields: []Field{ref("region", SpaceRegion, 32).key(), num("span", 64).value()}, Pairs: []Pair{closes(PairSpan, ByKey, "region", "span")}},
	{ID: KindSpanPoint, Name: "SpanPoint", Fields: []Field{ref("region", SpaceRegion, 32).key(), num("span", 64).value()}},
	{ID: KindPhaseEvent, Name: "PhaseEvent", Fields: []Field{ref("category", SpaceCategory, 32).key(), num("phase", 8).key(), num("id", 64).value()}},
}
