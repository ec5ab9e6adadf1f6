package gather

// fits reports whether two parts may belong to one operation.
func (p *Part[T]) fits(o *Part[T]) bool {
	if p.Operation != o.Operation {
		return false
	}
	return !p.Begun || !o.Begun || !WaitsForAll(p.Operation) || p.Begin <= o.End && o.Begin <= p.End
}

// fitting returns how many of the first parts of two lists fit each other, and how many there are to compare, of both but the last of a full
// lookahead.
func fitting[T any](a, b []Part[T]) (n, of int) {
	of = min(len(a), len(b), lookahead-1)
	for i := range of {
		if a[i].fits(&b[i]) {
			n++
		}
	}
	return n, of
}

// standing says what the first part of a rank is to the operation that most ranks do.
type standing uint8

const (
	takesPart standing = iota
	lacks              // its first part belongs to a later operation
	extra              // its first part belongs to none of the others'
	other              // it says to have done another operation
)

// standingOf compares a rank with one of those that stand for most.
func standingOf[T any](own, most []Part[T]) standing {
	if len(own) == 0 {
		return lacks
	}
	if own[0].fits(&most[0]) {
		return takesPart
	}
	asIs, _ := fitting(own, most)
	later, laterOf := fitting(own, tail(most))
	earlier, earlierOf := fitting(tail(own), most)
	if own[0].Operation == most[0].Operation {
		// Only times speak against it, and clocks may be wrong: all must speak for another place, and none for this one.
		switch {
		case asIs == 0 && later == laterOf && laterOf > 1:
			return lacks
		case asIs == 0 && earlier == earlierOf && earlierOf > 1:
			return extra
		}
		return takesPart
	}
	substituted, _ := fitting(tail(own), tail(most))
	switch {
	case later > 0 && later >= max(earlier, substituted):
		return lacks
	case earlier > substituted:
		return extra
	}
	return other
}

func tail[T any](list []Part[T]) []Part[T] { return list[min(1, len(list)):] }
