// Package attack makes hostile inputs by kind and number, gives them to the program, and judges what it did: each input
// is a function of a seed, so that any of them can be made again.
package attack
