// Package records turns what is not a slice of events into bytes and back: definitions, auxiliary records, the properties of a trace, and
// the specifications of its kinds of records. It also compresses whole blocks.
//
//	Log, ReadPage, Assembly             trace.Record, definitions: pages of them, and their order
//	AppendBatch, ReadBatches            trace.Batch of an auxiliary stream: snapshots, markers
//	AppendMeta, ReadMeta                trace.Meta with the private kinds and the history of conversions
//	AppendKinds, ReadKinds              trace.Spec
//
// Readers check all counts against the bytes that are there, and return errors that name section and offset.
package records
