// Package layout holds what the writer and the reader of a file agree on besides the blocks that packages encode and index
// describe: options and limits, the heads of model and dictionary blocks, unmatched ends of messages, and the meaning of
// point events (collective operations and metric values) in summaries. It reads and writes no file.
package layout
