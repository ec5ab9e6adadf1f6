// Package fuzz holds the fuzz targets that go through all packages, and tests with damaged, hostile and very large files.
package fuzz
