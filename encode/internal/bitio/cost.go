package bitio

import (
	"math/bits"
)

// Bit is the cost of one bit. Costs are whole numbers, so that all machines make the same choices.
const Bit = 256

// Log2 returns the logarithm of n > 0 to base 2.
func Log2[T int | uint64](n T) int64 {
	if n < T(len(logs)) {
		return int64(logs[n])
	}
	shift := bits.Len64(uint64(n)) - bits.Len(uint(len(logs)-1))
	return int64(logs[n>>shift]) + int64(shift)*Bit
}

var logs = makeLogs()

// makeLogs computes logarithms digit by digit: squaring a number doubles its logarithm. That of an even number follows from its half.
func makeLogs() (logs [4096]uint16) {
	for n := range logs {
		if n > 0 && n%2 == 0 {
			logs[n] = logs[n/2] + Bit
			continue
		}
		digits := bits.Len(uint(n))
		x := uint64(n) << (32 - digits) // 2^31 <= x < 2^32 stands for 1 to 2
		log := max(digits-1, 0)
		for d := Bit; d > 1; d /= 2 {
			x = x * x >> 31
			log *= 2
			if x >= 1<<32 {
				x /= 2
				log++
			}
		}
		logs[n] = uint16(log)
	}
	return logs
}
