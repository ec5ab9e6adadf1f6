// Package verify checks files: [Check] holds every byte against checksums and blocks against each other, [Deep] holds totals,
// postings, tables, calls and messages against the events, and [Sample] checks a share of the blocks.
package verify
