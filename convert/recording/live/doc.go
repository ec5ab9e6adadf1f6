// Package live finds the processes that record into a folder, and steers them: it asks them to pause, to go on, or to filter by other rules, and copies what they
// have recorded while they run. spec/recording says how.
package live
