package trace

import (
	"slices"
	"testing"
)

// Some words are ids because of a neighbouring field: members of groups, the definition that a scope names, values.
func TestWalkIDs(t *testing.T) {
	const plain = SpaceNone
	for _, c := range []struct {
		kind  Kind
		words []uint64
		want  []Space
	}{
		{KindEnter, []uint64{7}, []Space{SpaceRegion}},
		{KindGroup, []uint64{1, 2, 2, 8, 9, groupRegions, 0, 0}, []Space{SpaceGroup, SpaceString, plain, SpaceRegion, SpaceRegion, plain, SpaceParadigm, plain}},
		{KindGroup, []uint64{1, 2, 1, 8, groupCommLocations, 0, 0}, []Space{SpaceGroup, SpaceString, plain, SpaceLocation, plain, SpaceParadigm, plain}},
		{KindGroup, []uint64{1, 2, 1, 8, 5, 0, 0}, []Space{SpaceGroup, SpaceString, plain, plain, plain, SpaceParadigm, plain}},
		{KindLocationProperty, []uint64{1, 2, uint64(ValueRegion), 3}, []Space{SpaceLocation, SpaceString, plain, SpaceRegion}},
		{KindLocationProperty, []uint64{1, 2, uint64(ValueUint8), 3}, []Space{SpaceLocation, SpaceString, plain, plain}},
		{KindMetricInstance, []uint64{1, 2, 3, 1, 4}, []Space{SpaceMetric, SpaceMetric, SpaceLocation, plain, SpaceLocationGroup}},
		{KindMetricInstance, []uint64{1, 2, 3, 99, 4}, []Space{SpaceMetric, SpaceMetric, SpaceLocation, plain, plain}},
		{KindMarker, []uint64{1, 2, 3, 1, 4, 0}, []Space{plain, plain, SpaceMarker, plain, SpaceLocation, plain}},
	} {
		var got []Space
		ok := Standard.Spec(c.kind).WalkIDs(c.words, func(_ int, _ *Field, space Space, _ uint64) { got = append(got, space) })
		if !ok || !slices.Equal(got, c.want) {
			t.Errorf("%v %v: %v, want %v", c.kind, c.words, got, c.want)
		}
	}
	if Standard.Spec(KindGroup).WalkIDs([]uint64{1, 2, 9}, nil) {
		t.Error("too few words were walked")
	}
}
