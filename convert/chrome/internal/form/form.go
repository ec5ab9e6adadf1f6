package form

// AloneKey is the member that export adds to a point of a flow that is no end of a message: a point without a partner, or an end of an
// arrow. Its value is the id that the point had, null if it had none. Such a point is never paired, so that another flow may have the
// same id.
const AloneKey = "pando.id"

// OrderKey is the member that export adds to points of one flow and one time: their order.
const OrderKey = "pando.order"

// Names of communicators. Messages of FlowsComm have name, category and id of their flow as attributes; those of export's own flows whose
// messages have no communicator are of OwnComm, and those of events with bind_id of BoundComm.
const (
	FlowsComm = "flows"
	OwnComm   = "message"
	BoundComm = "bind_id"
)

// PropertyPrefix is what the names of properties begin with that a file of trace events brought: of the trace, of processes and threads.
const PropertyPrefix = "chrome."

// Names of the properties that hold the numbers of processes and threads, see [AppendIdent].
const (
	PidProperty = PropertyPrefix + "pid"
	TidProperty = PropertyPrefix + "tid"
)

// What processes, threads and streams are called that have no name: this with their number behind it.
const (
	ProcessName = "process"
	ThreadName  = "thread"
	StreamName  = "stream"
)

// Name and category of flows that export makes of messages, as JSON.
const (
	MessageName = `"message"`
	MessageCat  = `"message"`
)

// FormatName is the name of the format in a trace's Meta.
const FormatName = "Chrome"

// AttributePlace is the place of an attribute in its event. It also distinguishes true, false and other JSON, which have no type.
type AttributePlace uint8

// Places of attributes.
const (
	InArgs AttributePlace = iota
	InEvent
	BoolInArgs
	JSONInArgs
	JSONInEvent
)

// Descriptions are the descriptions in definitions of attributes, by place. Export finds the place of an attribute by its description.
var Descriptions = [...]string{
	InArgs: "argument", InEvent: "field", BoolInArgs: "argument, true or false", JSONInArgs: "argument, as JSON", JSONInEvent: "field, as JSON",
}
