package trace

// IsUndefined reports whether an id is the undefined reference of fields of 32 or 64 bits.
func IsUndefined(id uint64) bool { return id == Undefined || id == Undefined>>32 }

// WalkIDs is Walk, with the space that each word is an id in: of references, of values whose type is one, of what a scope names, and of
// the members of a group. It is SpaceNone for words that are no ids.
func (s *Spec) WalkIDs(words []uint64, visit func(i int, f *Field, space Space, word uint64)) bool {
	var code ValueType
	var scope, typ uint64
	if s.ID == KindGroup && len(words) >= len(s.Fields)-1 {
		typ = words[len(words)-groupTail]
	}
	return s.Walk(words, func(i int, f *Field, word uint64) {
		space := SpaceNone
		switch {
		case f.Type == TypeRef || f.Type == TypeSelf:
			space = f.Ref
		case f.Type == TypeCode:
			code = ValueType(word)
		case f.Type == TypeValue:
			space = code.Space()
		case f.Name == "metricScope" || f.Name == "markerScope":
			scope = word
		case f.Name == "scope" && f.Type == TypeNumber:
			space = ScopeSpace(s.ID, scope)
		case s.ID == KindGroup && f.Repeat:
			space = MemberSpace(typ)
		}
		visit(i, f, space, word)
	})
}

// Spaces of what a scope names, by the number of the scope.
var (
	metricScopes = []Space{SpaceLocation, SpaceLocationGroup, SpaceSystemTreeNode, SpaceGroup}
	markerScopes = []Space{SpaceNone, SpaceLocation, SpaceLocationGroup, SpaceSystemTreeNode, SpaceGroup, SpaceComm}
)

// ScopeSpace returns the space of what the scope of a record names: of a metric instance, or of a marker. It is SpaceNone for the whole
// trace and for scopes that are not known.
func ScopeSpace(kind Kind, scope uint64) Space {
	list := markerScopes
	if kind == KindMetricInstance {
		list = metricScopes
	}
	if scope >= uint64(len(list)) {
		return SpaceNone
	}
	return list[scope]
}

// groupTail is the number of words of a group behind its members: type, paradigm and flags.
const groupTail = 3

// Types of groups whose members are ids.
const (
	groupLocations = 1
	groupRegions   = 2
	groupMetrics   = 3
)

// MemberSpace returns the space of the members of a group of some type, SpaceNone if they are ranks.
func MemberSpace(groupType uint64) Space {
	switch groupType {
	case groupLocations, groupCommLocations:
		return SpaceLocation
	case groupRegions:
		return SpaceRegion
	case groupMetrics:
		return SpaceMetric
	}
	return SpaceNone
}
