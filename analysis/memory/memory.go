// Package memory says how much memory analyses take, and what they answer where that is too little.
//
// Each analysis has an option for its memory, in bytes; 0 stands for [Usual]. The error about what does not fit is its own, so that it can say what
// would help, and is [ErrExceeded] to errors.Is.
package memory

import "errors"

// Usual is the memory of an analysis unless its options say otherwise, in bytes.
const Usual = 256 << 20

// ErrExceeded means that an analysis takes more memory than it may.
var ErrExceeded = errors.New("too large for the memory")
