// Package recovery makes a sound file of what is intact in a damaged one. [Open] walks the bytes for frames whose checksums hold,
// with or without a directory; Recovery.Copy decodes what they hold and writes it anew.
package recovery
