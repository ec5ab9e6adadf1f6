// Package symbol finds the names of functions by their addresses: in the symbols and in the debugging information of executables and shared libraries.
package symbol
