// Package spec holds the description of the file format. The text is normative; tests hold it against the code.
package spec

import _ "embed" // for the texts

// Format is the description of version 1 of the format, in Markdown.
//
//go:embed v1/format.md
var Format string

// Registry lists the numbers that stand in files of version 1, in Markdown.
//
//go:embed v1/registry.md
var Registry string
