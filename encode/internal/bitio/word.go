package bitio

func FromBool(b bool) byte {
	if b {
		return 1
	}
	return 0
}
