// Package damage takes a file apart into its blocks and puts blocks together to a file with the checksums, lengths and offsets that it
// should have. Damage made in between is not noticed by a checksum.
package damage
