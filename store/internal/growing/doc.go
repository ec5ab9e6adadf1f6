// Package growing reads files that have no end yet: one is being written, or its writer was killed.
//
//	frames, in order -> whole groups -> calls and messages that cross slices -> the rest of a file, in memory
//
// [File] walks over the frames that are new, takes up the groups of slices that are whole, and goes through their events once: what crosses
// slices is written behind all slices that it crosses, so that of the newest ones it must be found out. Then it writes what the file lacks
// behind the last whole group (the newest page of the directory, items, kinds, totals, root and footer) into memory. What is before
// and what is in memory together are a file like any other, which package read reads.
package growing
