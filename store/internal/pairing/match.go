package pairing

func B2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
