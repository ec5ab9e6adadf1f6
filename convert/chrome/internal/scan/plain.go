package scan

// PlainInstant reads what nearly all times are: at most 18 digits, and at most 9 behind a point. ok is false for other numbers.
func PlainInstant(s []byte) (t Instant, ok bool) {
	whole, n := digits(s)
	if n == 0 || n > plainDigits {
		return t, false
	}
	t.Micros = int64(whole)
	if n == len(s) {
		return t, true
	}
	frac, behind := digits(s[n+1:])
	if s[n] != '.' || behind == 0 || behind > FracDigits || n+1+behind != len(s) {
		return t, false
	}
	t.Frac = uint32(frac * Powers[FracDigits-behind])
	return t, true
}

// PlainInteger reads a whole number of at most 18 digits. ok is false for other numbers.
func PlainInteger(s []byte) (v int64, ok bool) {
	u, n := digits(s)
	return int64(u), n == len(s) && n > 0 && n <= plainDigits
}

// plainDigits is how many digits fit 63 bits, whatever they are.
const plainDigits = 18

// digits reads the digits that a text begins with; more than 18 make a wrong number.
func digits(s []byte) (v uint64, n int) {
	for ; n < len(s); n++ {
		c := s[n] - '0'
		if c > 9 {
			break
		}
		v = v*10 + uint64(c)
	}
	return v, n
}
