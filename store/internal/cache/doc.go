// Package cache keeps what was decoded from a file within a budget of bytes ([Cache]), values that are made once ([Lazy]),
// and memory that is used again ([Pool]).
package cache
