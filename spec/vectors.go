package spec

import "embed"

// Vectors holds the test vectors of version 1: small files, expected.json with what a reader must make of each, and README.md. Anyone
// may use them for anything.
//
//go:embed v1/vectors
var Vectors embed.FS
