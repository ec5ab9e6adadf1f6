package pattern

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/pandotrace/pando/analysis/memory"
	"github.com/pandotrace/pando/analysis/phase"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Options are options of [Find]. The zero value means the defaults.
type Options struct {
	// Templates is the number of templates that are told apart (default 65,536). Beyond it, those that are new are added up whatever their tag
	// and length.
	Templates int
	// Begun leaves out messages that are under way when the window begins: they are those of the window before.
	Begun bool
	// Memory is about how many bytes pairs of ranks and templates may take (default [memory.Usual]); the times of messages take 64 MiB at most besides.
	Memory int64
	// Progress counts messages.
	Progress trace.Progress
}

const usualTemplates = 1 << 16

// Template is messages that are alike: from any rank to the one whose number is greater by Shift, with a communicator, a tag and a length.
type Template struct {
	// Step is how far away the receiver is along each dimension of the topology, where the trace has a Cartesian topology with all ranks; Shift is 0 then.
	Shift int
	Step  []int64
	// Communicator is the id of the communicator, as senders name it.
	Communicator, Tag, Length uint64
	// Others says that it stands for all tags and lengths of the shift that were too many to be told apart; Tag and Length are 0.
	Others bool
	// Messages and Bytes are sums; Senders is the number of ranks that send such messages.
	Messages, Bytes uint64
	Senders         int
}

// Result is the pattern of a window.
type Result struct {
	Pattern
	Traffic *Traffic
	// Templates are those with most messages first.
	Templates []Template
	// Unranked is the number of messages of which an end is no rank of MPI: they are left out.
	Unranked uint64
	// Degree is the mean number of other ranks that a rank sends to or receives from.
	Degree float64
	// Definitions are those of the trace, for names.
	Definitions *trace.Definitions

	layout *layout
}

// Finder finds the patterns of windows of a trace.
type Finder struct {
	definitions *trace.Definitions
	ranks       map[uint64]int // by location
	n           int            // of ranks
	layout      *layout        // nil if there is no topology with all ranks
}

// NewFinder reads which location is which rank.
func NewFinder(r *store.Reader) (*Finder, error) {
	defs, err := r.Definitions()
	if err != nil {
		return nil, err
	}
	ids, err := r.LocationIDs()
	if err != nil {
		return nil, err
	}
	f := &Finder{definitions: defs, ranks: map[uint64]int{}}
	for _, p := range defs.Places(ids) {
		if p.Rank >= 0 {
			f.ranks[p.Location] = int(p.Rank)
			f.n = max(f.n, int(p.Rank)+1)
		}
	}
	f.layout = newLayout(f)
	return f, nil
}

// Find finds the pattern of the messages of a window. The work ends with the context. Memory is that of the pairs of ranks and of the templates; of
// each pair, the times of a number of messages are kept to find out who waits for whom. A window with more pairs than the memory has room for is [memory.ErrExceeded].
func (f *Finder) Find(ctx context.Context, w *store.Window, o Options) (*Result, error) {
	found, err := f.find(ctx, w, o, 1, func(*trace.Message) int { return 0 })
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

// FindIn finds the pattern of each phase of a window. A message is one of the phase that its sender is in when it is sent.
func (f *Finder) FindIn(ctx context.Context, w *store.Window, p *phase.Phases, o Options) ([]*Result, error) {
	return f.find(ctx, w, o, len(p.List), func(m *trace.Message) int { return p.At(m.SendLocation, m.SendTime) })
}

// find divides the messages of a window into parts, and finds the pattern of each.
func (f *Finder) find(ctx context.Context, w *store.Window, o Options, parts int, part func(*trace.Message) int) (list []*Result, err error) {
	room := &budget{left: cmp.Or(o.Memory, memory.Usual), times: mostKept}
	tallies := make([]*tally, parts)
	for i := range tallies {
		tallies[i] = &tally{Finder: f, pairs: map[[2]int]*pair{}, templates: map[templateKey]*template{}, most: cmp.Or(o.Templates, usualTemplates), room: room}
	}
	done, from := int64(0), int64(math.MinInt64)
	if o.Begun {
		from, _ = w.Bounds()
	}
	for m, err := range w.WithContext(ctx).Messages() {
		if err != nil {
			return nil, fmt.Errorf("messages: %w", err)
		}
		if start, _ := m.Span(); start >= from {
			tallies[part(&m)].add(&m)
		}
		if room.left < 0 {
			return nil, fmt.Errorf("%w: pairs of ranks with messages take more than %d MB; fewer locations or more memory will do", memory.ErrExceeded, cmp.Or(o.Memory, memory.Usual)/1e6)
		}
		if done++; done%4096 == 0 {
			o.Progress.Report(done, 0)
		}
	}
	for _, t := range tallies {
		list = append(list, t.result())
	}
	return list, nil
}

// budget is how much more memory tallies may take together, in bytes, and of how many more messages the times may be kept.
type budget struct {
	left  int64
	times int
}

// About what a pair, a template, and a sender of one take, in bytes, with what the answer has of them.
const (
	pairBytes     = 200
	templateBytes = 300
	senderBytes   = 40
)

// Find finds the pattern of one window; see [Finder].
func Find(ctx context.Context, r *store.Reader, w *store.Window, o Options) (*Result, error) {
	f, err := NewFinder(r)
	if err != nil {
		return nil, err
	}
	return f.Find(ctx, w, o)
}

// tally adds up messages.
type tally struct {
	*Finder
	pairs     map[[2]int]*pair
	templates map[templateKey]*template
	most      int
	unranked  uint64
	room      *budget
}

// pair is a pair with the times of its first messages.
type pair struct {
	Pair
	shift          int // see layout.shift
	sent, received []int64
}

// mostTimes is the number of messages of a pair whose times are kept, and mostKept that of all pairs: 64 MiB.
const (
	mostTimes = 1 << 10
	mostKept  = 1 << 22
)

type templateKey struct {
	shift             int
	comm, tag, length uint64
	others            bool
}

type template struct {
	messages, bytes uint64
	senders         map[int]bool
}

func (f *tally) add(m *trace.Message) {
	from, sends := f.ranks[m.SendLocation]
	to, receives := f.ranks[m.ReceiveLocation]
	if !sends || !receives {
		f.unranked++
		return
	}
	p := f.pairs[[2]int{from, to}]
	if p == nil {
		p = &pair{Pair: Pair{From: from, To: to}, shift: f.layout.shift(from, to)}
		f.pairs[[2]int{from, to}] = p
		f.room.left -= pairBytes
	}
	p.Messages++
	p.Bytes += m.SendLength
	if len(p.sent) < mostTimes && f.room.times > 0 {
		f.room.times--
		p.sent, p.received = append(p.sent, m.SendTime), append(p.received, m.ReceiveTime)
	}
	t := f.template(templateKey{p.shift, m.Communicator, m.Tag, m.SendLength, false})
	t.messages++
	t.bytes += m.SendLength
	if !t.senders[from] {
		t.senders[from] = true
		f.room.left -= senderBytes
	}
}

// template returns the template of a key, or the one that stands for others.
func (f *tally) template(k templateKey) *template {
	t := f.templates[k]
	if t == nil && len(f.templates) >= f.most {
		k = templateKey{shift: k.shift, comm: k.comm, others: true}
		t = f.templates[k]
	}
	if t == nil {
		t = &template{senders: map[int]bool{}}
		f.templates[k] = t
		f.room.left -= templateBytes
	}
	return t
}

func (f *tally) result() *Result {
	r := &Result{Traffic: &Traffic{Ranks: f.n}, Unranked: f.unranked, Definitions: f.definitions, layout: f.layout}
	partners := map[[2]int]bool{}
	for _, p := range f.pairs {
		r.Traffic.Pairs = append(r.Traffic.Pairs, p.Pair)
		if p.From != p.To {
			partners[[2]int{p.From, p.To}], partners[[2]int{p.To, p.From}] = true, true
		}
	}
	slices.SortFunc(r.Traffic.Pairs, func(a, b Pair) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	if f.n > 0 {
		r.Degree = float64(len(partners)) / float64(f.n)
	}
	for k, t := range f.templates {
		shift, step := f.layout.way(k.shift)
		r.Templates = append(r.Templates, Template{shift, step, k.comm, k.tag, k.length, k.others, t.messages, t.bytes, len(t.senders)})
	}
	slices.SortFunc(r.Templates, func(a, b Template) int {
		return cmp.Or(cmp.Compare(b.Messages, a.Messages), cmp.Compare(a.Shift, b.Shift), slices.Compare(a.Step, b.Step), cmp.Compare(a.Communicator, b.Communicator),
			cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.Length, b.Length))
	})
	var ok bool
	if r.Pattern, ok = f.layout.classify(r.Traffic); !ok {
		r.Pattern = Classify(r.Traffic)
	}
	r.Wave = f.isWave(&r.Pattern)
	return r
}

// waveShare is the share of sends that must follow on a receive in a wavefront.
const waveShare = 0.8

// isWave reports whether ranks inside of a grid send along a dimension what they have received: the n-th send in a direction comes behind the n-th
// receive in it. Those that exchange with their neighbours send before they receive.
func (f *tally) isWave(p *Pattern) bool {
	if p.Class != Grid && p.Class != Line || p.Corners {
		return false
	}
	at := func(number int) int { return f.layout.place(p, number) }
	behind, of, stride := 0, 0, 1
	for _, n := range p.Sizes {
		for rank := range f.n {
			if x := rank / stride % n; x > 0 && x < n-1 {
				for _, step := range []int{stride, -stride} {
					b, all := sendsBehind(f.pairs[[2]int{at(rank - step), at(rank)}], f.pairs[[2]int{at(rank), at(rank + step)}])
					behind, of = behind+b, of+all
				}
			}
		}
		stride *= n
	}
	return of > 0 && float64(behind) >= waveShare*float64(of)
}

// sendsBehind counts the sends of a pair whose receives, of the pair before it, came earlier.
func sendsBehind(in, out *pair) (n, of int) {
	if in == nil || out == nil {
		return 0, 0
	}
	received, sent := slices.Sorted(slices.Values(in.received)), slices.Sorted(slices.Values(out.sent))
	of = min(len(received), len(sent))
	for i := range of {
		if sent[i] >= received[i] {
			n++
		}
	}
	return n, of
}
