package calltree

import (
	"testing"

	"pgregory.net/rapid"
)

// normal is what Normalise does, by its definition.
func (p *plain) normal(through map[string]bool, spread bool) *plain {
	out := &plain{name: p.name}
	var add func(list []*plain)
	add = func(list []*plain) {
		for _, c := range list {
			switch {
			case through[c.name]:
				add(c.inside)
			case spread && c.name == p.name:
				out.inside = append(out.inside, &plain{name: c.name})
				add(c.inside)
			default:
				out.inside = append(out.inside, c.normal(through, spread))
			}
		}
	}
	add(p.inside)
	return out
}

func TestNormalise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := NewForest()
		through := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b"}), rapid.Just(true), 0, 1).Draw(t, "through")
		how := Normal{Through: map[Name]bool{}, Spread: rapid.Bool().Draw(t, "spread")}
		for name := range through {
			how.Through[f.Named(name)] = true
		}
		var roots []Node
		var want []*plain
		for range rapid.IntRange(1, 4).Draw(t, "roots") {
			p := &plain{name: "", inside: []*plain{}}
			for range rapid.IntRange(0, 4).Draw(t, "calls") {
				p.inside = append(p.inside, drawPlain(t, rapid.IntRange(1, 60).Draw(t, "size")))
			}
			roots, want = append(roots, p.node(f)), append(want, p.normal(through, how.Spread))
		}
		got, err := f.Normalise(t.Context(), roots, how)
		if err != nil {
			t.Fatal(err)
		}
		for i, n := range got {
			if text := f.written(n); text != want[i].text() || n != want[i].node(f) {
				t.Fatalf("%s became %s, not %s", f.written(roots[i]), text, want[i].text())
			}
		}
	})
}
