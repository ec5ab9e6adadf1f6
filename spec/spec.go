// Package spec holds the normative description of Pando's file format.
package spec

import _ "embed"

// Format is the text of the format, in Markdown.
//
//go:embed v1/format.md
var Format string

// Registry is the list of all numbers that the format uses, in Markdown.
//
//go:embed v1/registry.md
var Registry string
