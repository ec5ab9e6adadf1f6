package read

// recent remembers regions by the texts of their names and categories, as they stand in the file with quotes and escapes. A place that
// another text needs is overwritten.
type recent struct{ places [recentPlaces]recentRegion }

type recentRegion struct {
	name, cat []byte
	region    uint32
}

const (
	recentPlaces = 1 << 10
	// longestRecent bounds the texts, in bytes.
	longestRecent = 256
)

// place returns where the region of an event is, if it is there.
func (r *recent) place(name, cat []byte) *recentRegion {
	h := uint(len(name)*5 + len(cat)*3)
	if n := len(name); n > 3 {
		h += uint(name[1]) + uint(name[n/2])<<3 + uint(name[n-2])<<5 + uint(name[n-3])<<2
	}
	return &r.places[h%recentPlaces]
}

// is reports whether the place has a region of these texts.
func (p *recentRegion) is(name, cat []byte) bool {
	return len(p.name) > 0 && string(p.name) == string(name) && string(p.cat) == string(cat)
}

func (p *recentRegion) set(name, cat []byte, region uint32) {
	if len(name) == 0 || max(len(name), len(cat)) > longestRecent {
		return
	}
	p.name, p.cat, p.region = append(p.name[:0], name...), append(p.cat[:0], cat...), region
}
