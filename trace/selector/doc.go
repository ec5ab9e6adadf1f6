// Package selector finds the locations, regions and kinds of events that a user names: by name, pattern, id, place ("rank 0-3") or class
// ("@mpi/collective"), and with ! before any of these by taking them away. docs/selecting.md describes the selectors.
package selector
