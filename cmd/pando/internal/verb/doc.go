// Package verb has what verbs of the program share: flags that mean the same in all of them, how their inputs are opened, where their answers go,
// and which mistakes are those of the command line.
//
// A verb is a struct that embeds what it has flags of: [Selection] is a part of a trace (--from, --to, --location, --region, --kind), [Answering] is
// one answer in one of some formats (--output, --format, --json), [Replacing] what becomes of files that exist, [Outcome] what a verb prints about
// files that it wrote, [Rows] a part of a list, [Memory] what an analysis may take. [Inputs] are several files. Their Add methods add flags to a command, together with the completion of values.
//
// [Usage] and [Usagef] make errors of the command line, which end the program with code 2. [Interruptible] is the context of work that a signal ends.
package verb
