// Package annotate gives a file other annotations: in a new file, of which all other blocks are those of the old one, byte by byte.
package annotate
