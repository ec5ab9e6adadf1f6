package scan

import "strconv"

// Double reads a time that its writer had as a double, and wrote with all the 17 digits that tell it from its neighbours (C's %.17g): 68.948999999999998 is 68.949. ok is false unless the text
// is that of a double which also has a decimal of at most 15 digits: whatever such a decimal is, no two have the same double.
func Double(s []byte) (t Instant, ok bool) {
	const most, digits = 1e15, 17
	f, err := strconv.ParseFloat(string(s), 64)
	if err != nil {
		return t, false
	}
	var room [400]byte
	written, _ := ParseDecimal(s)
	whole, _ := ParseDecimal(strconv.AppendFloat(room[:0], f, 'e', digits-1, 64))
	short, _ := ParseDecimal(strconv.AppendFloat(room[:0], f, 'e', -1, 64))
	if written.stripped() != whole.stripped() || short.Mantissa >= most {
		return t, false
	}
	t, exact, ok := short.Instant()
	return t, exact && ok
}
