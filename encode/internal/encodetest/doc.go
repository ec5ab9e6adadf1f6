// Package encodetest has what the tests of the packages below encode share: random traces, a stack of open calls, a plain
// decoder of models, and bounds of memory for fuzz targets.
//
// It imports none of the packages under test, so that their own tests can import it.
package encodetest
