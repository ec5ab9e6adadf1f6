// Package fuzz holds the fuzz targets that go through all packages, and what they and other tests need to damage
// files: it takes a file apart into its blocks and puts it together again, with the checksums that it should have, so that
// damage gets behind them.
package fuzz
