package stacks

import (
	"math"
	"sync/atomic"

	"github.com/pandotrace/pando/encode/shape"
	"github.com/pandotrace/pando/store/internal/cache"
	"github.com/pandotrace/pando/store/internal/read"
)

// pattern is what a shape means to call stacks. A shape is whole if each of its leaves is of the innermost call that is open, and none stays open: whatever
// is around it, its calls are the same. Only those of whole shapes are listed, in order of their enters, and those of short shapes several times: as if
// the shape stood there so often in a row.
type pattern struct {
	events, steps int // of the shape
	calls, tops   int // of the shape, if it is whole: all, and those that no other one contains
	again         int // how often the shape stands in the lists, 0 if it is not whole

	enters, leaves         []uint32 // places of the events among those of the lists
	enterSteps, leaveSteps []uint32 // the same among the steps
	parents                []uint32 // place of the enter of the call around it; 0 for tops
	depths                 []uint32 // from 0
	regions, contexts      []uint64
	children               []uint64
	inner                  []inner
	top                    []uint32 // numbers of the tops
}

// inner is a call with the one around it, by their numbers.
type inner struct{ call, parent uint32 }

// listedEvents is the number of events up to which a shape stands in the lists again.
const listedEvents = 256

// patterns are those of a lane in an epoch, made when they are needed. They are safe for concurrent use.
type patterns struct {
	dictionary *shape.Dictionary
	meaning    []read.LeafCall // by leaf
	of         []atomic.Pointer[pattern]
	bytes      atomic.Int64 // of all patterns
	most       int64        // of these bytes: beyond, shapes are taken for not whole
	cache      *cache.Share
	key        cache.Key
}

// patternShare is the part of the cache's budget that the patterns of a lane in an epoch may take.
const patternShare = 16

// patternsOf returns the patterns for the steps of a lane.
func patternsOf(r *read.File, s *read.CallSteps, lane uint32) (*patterns, error) {
	k := cache.Key{What: cache.CallPatterns, Offset: uint64(s.Epoch), Lane: lane}
	return cache.Get(r.Cache(), k, func() (*patterns, int64, error) {
		n := s.Dictionary.Len()
		p := &patterns{dictionary: s.Dictionary, meaning: s.Meaning, of: make([]atomic.Pointer[pattern], n), most: r.Cache().Budget / patternShare, cache: r.Cache(), key: k}
		return p, int64(8*n + 100), nil
	})
}

// get returns the pattern of a shape of at most read.PieceEvents events.
func (p *patterns) get(shape uint32) *pattern {
	if x := p.of[shape].Load(); x != nil {
		return x
	}
	return p.add(shape)
}

// add makes the pattern of a shape. Two that make the same one at a time use one of them.
func (p *patterns) add(number uint32) *pattern {
	leaves := p.dictionary.Expand(make([]uint32, 0, p.dictionary.Events(number)), []shape.Token{{Shape: number, Count: 1}})
	x := &pattern{events: len(leaves)}
	for _, leaf := range leaves {
		x.steps += int(p.meaning[leaf].Step)
	}
	if p.bytes.Load() < p.most {
		x.list(leaves, p.meaning)
	}
	if p.of[number].CompareAndSwap(nil, x) {
		p.bytes.Add(x.bytes())
		p.cache.Grow(p.key, x.bytes())
	}
	return p.of[number].Load()
}

func (x *pattern) bytes() int64 {
	return int64(300 + 56*len(x.enters) + 4*len(x.top))
}

// list lists the calls of a shape with some leaves, if it is whole.
func (x *pattern) list(leaves []uint32, meaning []read.LeafCall) {
	for x.again == 0 || x.calls > 0 && (x.again+1)*x.events <= listedEvents {
		if !x.repeat(leaves, meaning) {
			*x = pattern{events: x.events, steps: x.steps}
			return
		}
		if x.again++; x.again == 1 {
			x.calls, x.tops = len(x.enters), len(x.top)
		}
	}
	if x.calls == 0 {
		x.again = math.MaxInt32
	}
}

// repeat lists them once more. It reports false if the shape is not whole.
func (x *pattern) repeat(leaves []uint32, meaning []read.LeafCall) bool {
	var open []uint32 // numbers of the calls
	event, step := uint32(x.again*x.events), uint32(x.again*x.steps)
	for _, leaf := range leaves {
		l := &meaning[leaf]
		switch {
		case l.Step == 0:
		case l.Enter != 0:
			x.enter(l, open, event, step)
			open = append(open, uint32(len(x.enters)-1))
		default:
			n := len(open) - 1
			if n < 0 || x.keyOf(open[n], leaves, meaning) != l.Key {
				return false
			}
			x.leaves[open[n]], x.leaveSteps[open[n]] = event, step
			open = open[:n]
		}
		event, step = event+1, step+uint32(l.Step)
	}
	return len(open) == 0
}

// keyOf returns the key of a call.
func (x *pattern) keyOf(call uint32, leaves []uint32, meaning []read.LeafCall) uint32 {
	return meaning[leaves[int(x.enters[call])%x.events]].Key
}

// enter adds a call that begins while others are open.
func (x *pattern) enter(l *read.LeafCall, open []uint32, event, step uint32) {
	number, parent := uint32(len(x.enters)), uint32(0)
	if n := len(open); n > 0 {
		x.inner = append(x.inner, inner{number, open[n-1]})
		x.children[open[n-1]]++
		parent = x.enters[open[n-1]]
	} else {
		x.top = append(x.top, number)
	}
	x.enters, x.enterSteps, x.parents = append(x.enters, event), append(x.enterSteps, step), append(x.parents, parent)
	x.leaves, x.leaveSteps = append(x.leaves, 0), append(x.leaveSteps, 0)
	x.regions, x.contexts, x.children = append(x.regions, l.Region), append(x.contexts, l.Context), append(x.children, 0)
	x.depths = append(x.depths, uint32(len(open)))
}
