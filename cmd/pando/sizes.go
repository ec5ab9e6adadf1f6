package main

import (
	"math/big"
	"regexp"
)

// sizePattern is a number of bytes with a unit.
var sizePattern = regexp.MustCompile(`^(\d{1,19}(?:\.\d{1,6})?)(B|kB|KiB|MB|MiB|GB|GiB|)$`)

// byteUnits are units of sizes, in bytes.
var byteUnits = map[string]int64{"": 1, "B": 1, "kB": 1e3, "KiB": 1 << 10, "MB": 1e6, "MiB": 1 << 20, "GB": 1e9, "GiB": 1 << 30}

// byteSize reads a size, in bytes.
func byteSize(text string) (int64, error) {
	m := sizePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, usagef("%q is no size: write 512MiB, 1.5GB or a number of bytes", text)
	}
	v, _ := new(big.Rat).SetString(m[1])
	v.Mul(v, new(big.Rat).SetInt64(byteUnits[m[2]]))
	if n, _ := new(big.Int).SetString(v.FloatString(0), 10); n.IsInt64() {
		return n.Int64(), nil
	}
	return 0, usagef("%q is too large a size", text)
}
