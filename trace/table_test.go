package trace

import (
	"slices"
	"testing"
)

// The table keeps the rules that readers, writers and printers rely on.
func TestStandardTable(t *testing.T) {
	names := map[string]Kind{}
	for _, s := range Standard.All() {
		if k, ok := names[s.Name]; ok {
			t.Errorf("kinds %d and %d are both named %s", k, s.ID, s.Name)
		}
		names[s.Name] = s.ID
		if s.ID >= FirstPrivateKind {
			t.Errorf("%s has a private number", s.Name)
		}
		checkFields(t, s)
		checkPairs(t, s)
	}
	if len(names) < 79+38+20 {
		t.Errorf("only %d kinds", len(names))
	}
}

func checkFields(t *testing.T, s *Spec) {
	t.Helper()
	before, group, _ := s.Shape()
	counts := 0
	for i, f := range s.Fields {
		if f.Type == TypeCount {
			counts++
			if i >= before {
				t.Errorf("%s: the count %s stands behind the group", s.Name, f.Name)
			}
		}
		if (f.Type == TypeRef || f.Type == TypeSelf) != (f.Ref != SpaceNone) {
			t.Errorf("%s.%s: a reference needs an id space, others have none", s.Name, f.Name)
		}
		if (f.Type == TypeEnum || f.Type == TypeFlags) != (f.Enum != nil) {
			t.Errorf("%s.%s: an enumeration needs names, others have none", s.Name, f.Name)
		}
		if f.Type == TypeValue && (i == 0 || s.Fields[i-1].Type != TypeCode) {
			t.Errorf("%s.%s: no type stands before the value", s.Name, f.Name)
		}
		if f.Key && f.Role != Structural {
			t.Errorf("%s.%s: a key is structural", s.Name, f.Name)
		}
		if f.Bits != 8 && f.Bits != 32 && f.Bits != 64 {
			t.Errorf("%s.%s: %d bits", s.Name, f.Name, f.Bits)
		}
		if slices.IndexFunc(s.Fields, func(o Field) bool { return o.Name == f.Name }) != i {
			t.Errorf("%s: two fields named %s", s.Name, f.Name)
		}
	}
	if want := min(group, 1); counts != want {
		t.Errorf("%s: %d counts for a group of %d fields", s.Name, counts, group)
	}
}

// checkPairs checks that pairs name fields that exist, and that each family with a closing kind has an opening one.
func checkPairs(t *testing.T, s *Spec) {
	t.Helper()
	for _, p := range s.Pairs {
		for _, k := range p.Keys {
			if s.Field(k) < 0 {
				t.Errorf("%s: pairs by a field %s that it does not have", s.Name, k)
			}
		}
		partner := slices.ContainsFunc(Standard.All(), func(o *Spec) bool {
			return slices.ContainsFunc(o.Pairs, func(q Pair) bool { return q.Family == p.Family && q.Closes != p.Closes })
		})
		if !partner {
			t.Errorf("%s: nobody has the other half of pair family %d", s.Name, p.Family)
		}
	}
}

func TestWalk(t *testing.T) {
	metric := Standard.Spec(KindMetric)
	words := []uint64{7, 2, uint64(ValueUint64), 100, uint64(ValueDouble), 200}
	var got []string
	ok := metric.Walk(words, func(i int, f *Field, w uint64) {
		if words[i] != w {
			t.Errorf("word %d is %d, want %d", i, w, words[i])
		}
		got = append(got, f.Name)
	})
	want := []string{"metric", "numberOfMetrics", "typeIds", "metricValues", "typeIds", "metricValues"}
	if !ok || !slices.Equal(got, want) {
		t.Errorf("fields %v, want %v", got, want)
	}
	group := Standard.Spec(KindGroup) // fields behind the group
	if n, ok := group.Count([]uint64{1, 2, 3, 10, 11, 12, 5, 4, 0}); n != 3 || !ok {
		t.Errorf("group of %d members, %v", n, ok)
	}
	for _, wrong := range [][]uint64{nil, {7}, {7, 3, 1, 2, 3, 4}, {7, 2, 1, 2, 3}, {7, 1 << 63, 1, 2}} {
		if _, ok := metric.Count(wrong); ok {
			t.Errorf("%v passes for a metric", wrong)
		}
	}
}

func TestAdd(t *testing.T) {
	var table Table
	private := &Spec{ID: FirstPrivateKind + 5, Name: "Mine"}
	if err := table.Add(private); err != nil {
		t.Fatal(err)
	}
	if err := table.Add(&Spec{ID: private.ID, Name: "Other"}); err == nil {
		t.Error("two kinds may share a number")
	}
	if table.Spec(private.ID) != private || table.Spec(3) != nil || len(table.All()) != 1 {
		t.Error("the table does not hold what was added")
	}
}

// A peer is the first field and a rank, the communicator is the second field.
func TestPeers(t *testing.T) {
	peer := Field{Name: "peer", Type: TypeRank, Bits: 32, Peer: true}
	comm := Field{Name: "communicator", Type: TypeRef, Ref: SpaceComm, Bits: 32}
	with := func(f Field, change func(*Field)) Field { change(&f); return f }
	for name, c := range map[string]struct {
		fields []Field
		ok     bool
	}{
		"as it must be":                  {[]Field{peer, comm}, true},
		"none":                           {[]Field{comm}, true},
		"without a communicator":         {[]Field{peer}, false},
		"behind the communicator":        {[]Field{comm, peer}, false},
		"twice":                          {[]Field{peer, comm, peer}, false},
		"of another type":                {[]Field{with(peer, func(f *Field) { f.Type = TypeNumber }), comm}, false},
		"a value":                        {[]Field{with(peer, func(f *Field) { f.Role = Value }), comm}, false},
		"repeated":                       {[]Field{with(peer, func(f *Field) { f.Repeat = true }), comm}, false},
		"with a window":                  {[]Field{peer, with(comm, func(f *Field) { f.Ref = SpaceRmaWin })}, false},
		"with a number":                  {[]Field{peer, with(comm, func(f *Field) { f.Type = TypeNumber })}, false},
		"with a communicator of a value": {[]Field{peer, with(comm, func(f *Field) { f.Role = Value })}, false},
	} {
		s := &Spec{ID: FirstPrivateKind, Name: "Kind", Fields: c.fields}
		if err := (&Table{}).Add(s); (err == nil) != c.ok {
			t.Errorf("a peer %s: %v", name, err)
		}
	}
	if spec := Standard.Spec(KindMpiIrecv); !spec.HasPeer() || Standard.Spec(KindEnter).HasPeer() {
		t.Error("a receive has a peer, an enter has none")
	}
}
