package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// Description is what a location calls in a window, in texts.
type Description struct {
	Location uint64
	// Functions are the names of regions, Pairs "caller > callee", Contexts the names of a call path with " > " between; all of them quoted.
	Functions, Pairs, Contexts map[string]bool
	// Calls is how often a name is called.
	Calls map[string]uint64
	// Tree has all calls, inside of each other; Messages the same with the ends of messages.
	Tree, Messages string
}

// Descriptions describes the locations that have calls from one time up to another one: those that are open when it begins are entered then, and
// those that are open when it ends are left then.
func (t *Trace) Descriptions(from, to int64) (all []Description) {
	for i := range t.Locations {
		l := &t.Locations[i]
		d := describer{t: t, location: l.ID, Description: Description{
			Location: l.ID, Functions: map[string]bool{}, Pairs: map[string]bool{}, Contexts: map[string]bool{}, Calls: map[string]uint64{},
		}}
		for j := range l.Events {
			e := &l.Events[j]
			if e.Time >= from {
				d.begin()
			}
			if e.Time < to {
				d.event(e)
			}
		}
		d.begin()
		for len(d.open) > 0 {
			d.pop()
		}
		d.Tree, d.Messages = d.tree.String(), d.messages.String()
		if len(d.Functions) > 0 {
			all = append(all, d.Description)
		}
	}
	return all
}

// describer describes one location.
type describer struct {
	Description
	t              *Trace
	location       uint64
	open           []key
	begun          bool
	tree, messages strings.Builder
}

// begin tells of the calls that are open when the window begins.
func (d *describer) begin() {
	if d.begun {
		return
	}
	d.begun = true
	open := d.open
	d.open = nil
	for _, k := range open {
		d.push(k)
	}
}

func (d *describer) event(e *Record) {
	switch e.Kind {
	case trace.KindEnter, trace.KindCallingContextEnter:
		d.push(key{e.Kind == trace.KindCallingContextEnter, e.Words[0]})
	case trace.KindLeave, trace.KindCallingContextLeave:
		k := key{e.Kind == trace.KindCallingContextLeave, e.Words[0]}
		if slices.Contains(d.open, k) {
			for d.pop() != k {
			}
		}
	default:
		if what, ok := endOf(e.Kind); ok {
			d.message(what, e)
		}
	}
}

func (d *describer) name(k key) string {
	if !k.context {
		return strconv.Quote(d.t.RegionName(k.id))
	}
	c, ok := d.t.Definitions.Contexts[k.id]
	if !ok {
		return strconv.Quote(d.t.RegionName(trace.Undefined))
	}
	return strconv.Quote(d.t.RegionName(c.Region))
}

func (d *describer) push(k key) {
	caller, path := `""`, ""
	for _, o := range d.open {
		caller = d.name(o)
		path += caller + " > "
	}
	d.open = append(d.open, k)
	if !d.begun {
		return
	}
	name := d.name(k)
	d.Functions[name], d.Pairs[caller+" > "+name], d.Contexts[path+name] = true, true, true
	d.Calls[name]++
	d.write(name + "(")
}

func (d *describer) pop() key {
	k := d.open[len(d.open)-1]
	d.open = d.open[:len(d.open)-1]
	if d.begun {
		d.write(")")
	}
	return k
}

func (d *describer) write(s string) {
	d.tree.WriteString(s)
	d.messages.WriteString(s)
}

// message tells of an end of a message.
func (d *describer) message(what string, e *Record) {
	if d.begun {
		d.messages.WriteString(d.t.endName(d.location, what, e) + ";")
	}
}

// Jaccard is how similar two sets are: what they have in common, by what any of them has.
func Jaccard(a, b map[string]bool) float64 {
	common, all := 0, len(b)
	for x := range a {
		if b[x] {
			common++
		} else {
			all++
		}
	}
	return float64(common) / float64(all)
}

// WeightedJaccard is the same of counts: the lesser ones by the greater ones.
func WeightedJaccard(a, b map[string]uint64) float64 {
	common, all := uint64(0), uint64(0)
	for x, n := range a {
		common, all = common+min(n, b[x]), all+max(n, b[x])
	}
	for x, n := range b {
		if _, ok := a[x]; !ok {
			all += n
		}
	}
	return float64(common) / float64(all)
}

// MergeSimilar merges things by their similarity, and returns lists of their numbers. The two groups whose least similar things are the most
// similar ones are merged, of equal ones the first, as long as these are as similar as a threshold says.
func MergeSimilar(n int, threshold float64, similar func(a, b int) float64) (groups [][]int) {
	for i := range n {
		groups = append(groups, []int{i})
	}
	for {
		first, second, most := -1, -1, -1.0
		for i := range groups {
			for j := i + 1; j < len(groups); j++ {
				least := 2.0
				for _, a := range groups[i] {
					for _, b := range groups[j] {
						least = min(least, similar(a, b))
					}
				}
				if least >= threshold && least > most {
					first, second, most = i, j, least
				}
			}
		}
		if first < 0 {
			return groups
		}
		groups[first] = append(groups[first], groups[second]...)
		slices.Sort(groups[first])
		groups = slices.Delete(groups, second, second+1)
	}
}

// Concept is a set of things with all that they have in common, as long as no other thing has it.
type Concept struct {
	Things     []int
	Attributes []string
}

// Concepts are all concepts of things with attributes, in no order: what any of them have in common, what all together have, and what each has.
func Concepts(things []map[string]bool) (all []Concept) {
	whole := map[string]bool{}
	for _, thing := range things {
		for a := range thing {
			whole[a] = true
		}
	}
	intents := map[string]map[string]bool{sortedText(whole): whole}
	for changed := true; changed; {
		changed = false
		for _, intent := range intents {
			for _, thing := range things {
				common := map[string]bool{}
				for a := range intent {
					if thing[a] {
						common[a] = true
					}
				}
				if text := sortedText(common); intents[text] == nil {
					intents[text], changed = common, true
				}
			}
		}
	}
	for _, intent := range intents {
		c := Concept{Attributes: sortedNames(intent)}
		for i, thing := range things {
			if !slices.ContainsFunc(c.Attributes, func(a string) bool { return !thing[a] }) {
				c.Things = append(c.Things, i)
			}
		}
		all = append(all, c)
	}
	return all
}

func sortedNames(set map[string]bool) (list []string) {
	for a := range set {
		list = append(list, a)
	}
	slices.Sort(list)
	return list
}

func sortedText(set map[string]bool) string { return strings.Join(sortedNames(set), "\n") }
