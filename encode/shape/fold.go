package shape

// Folder turns the events of one location in one slice into tokens: it folds each completed call into a shape, runs of
// equal shapes into one counted token, runs of equal groups of tokens into a counted token of a sequence shape, and calls
// that contain each other into a counted token of a recursion.
// Calls that are cut by the slice's borders, or that do not nest, are given up: their enter, leave and children are tokens
// like any other.
//
// An enter of a call that is still open stands in the token list itself, and the call's children behind it.
type Folder struct {
	dictionary *Dictionary
	tokens     []Token
	given      []Token // of calls that are given up, to be folded again
	same       []int32 // by token: where the previous token of the same shape stands, -1 if there is none
	latest     []int32 // by shape: 1 + where its latest token stands, 0 if there is none
	frames     []frame
}

// frame is an open call, or the outermost level of the list.
type frame struct {
	start    int // where the call's enter stands
	sequence int // where the latest sequence of the call's children stands, -1 if there is none
}

// Bounds of the search for groups.
const (
	maxGroup = 64 // tokens in a group
	maxTries = 4  // places that are compared
)

const maxCount = 1<<32 - 1 // of tokens and edges

// Reset starts a location's part of a slice.
func (f *Folder) Reset(d *Dictionary) {
	f.cut(0)
	f.dictionary = d
	f.frames = append(f.frames[:0], frame{-1, -1})
}

// Tokens returns the folded events. The result is valid until the next Reset.
func (f *Folder) Tokens() []Token {
	f.giveUp(1)
	f.fold()
	return f.tokens
}

// Point adds an event that is no enter and no leave.
func (f *Folder) Point(leaf uint32) { f.append(Token{leaf, 1}) }

// Enter adds an enter.
func (f *Folder) Enter(leaf uint32) {
	f.fold()
	f.frames = append(f.frames, frame{len(f.tokens), -1})
	f.push(Token{leaf, 1})
}

// Leave adds a leave that closes the open call `up` places below the innermost one; those further in are given up.
func (f *Folder) Leave(leaf uint32, up int) {
	top := len(f.frames) - 1 - up
	f.giveUp(top + 1)
	f.fold()
	f.push(Token{leaf, 1})
	at := f.frames[top].start
	f.frames = f.frames[:top]
	call, ok := f.chain(f.tokens[at:])
	if !ok {
		call = Token{f.dictionary.Composite(f.tokens[at:]), 1}
	}
	f.cut(at)
	f.append(call)
}

// chain returns the recursion that a call is: one with a recursion deeper inside that repeats what is around it, or with
// a call inside that repeats what is around one of its own children.
func (f *Folder) chain(call []Token) (chain Token, ok bool) {
	tries := 0
	for i := 1; i < len(call)-1 && tries < maxTries; i++ {
		child := call[i]
		level, hole, deeper := f.dictionary.Recursion(child.Shape)
		if !deeper {
			level, hole = child.Shape, i
		}
		edges := f.dictionary.EdgesOf(level)
		if len(edges) != len(call) || edges[0] != call[0] || hole != i || deeper == (child.Count == 1) || child.Count == maxCount {
			continue
		}
		tries++
		if !equalTokens(edges[:i], call[:i]) || !equalTokens(edges[i+1:], call[i+1:]) {
			continue
		}
		if deeper {
			return Token{child.Shape, child.Count + 1}, true
		}
		if edges[i].Count == 1 {
			return Token{f.dictionary.recursionOf(level, hole), 2}, true
		}
	}
	return Token{}, false
}

// LeaveOutside adds a leave that closes a call entered in an earlier slice; all calls open in this one are given up.
// (A leave that closes nothing at all is a Point.)
func (f *Folder) LeaveOutside(leaf uint32) {
	f.giveUp(1)
	f.append(Token{leaf, 1})
}

// giveUp gives up all open calls but the first left ones, the outermost level included. What they have so far becomes a part
// of the innermost call that is left. A token is given up once at most: then it is part of a call that is about to be left, or
// stands on the outermost level.
func (f *Folder) giveUp(left int) {
	if left == len(f.frames) {
		return
	}
	from := f.frames[left].start
	f.given = append(f.given[:0], f.tokens[from:]...)
	f.cut(from)
	f.frames = f.frames[:left]
	for _, t := range f.given {
		f.append(t)
	}
}

// append adds a token to the innermost open call. Equal neighbours are counted, unless they are recursions.
func (f *Folder) append(t Token) {
	if n := len(f.tokens); n > f.first() && f.tokens[n-1].Shape == t.Shape && t.Count <= maxCount-f.tokens[n-1].Count && !f.dictionary.recurs(t.Shape) {
		f.tokens[n-1].Count += t.Count
		return
	}
	f.fold()
	f.push(t)
}

// first returns where the children of the innermost open call begin.
func (f *Folder) first() int { return f.frames[len(f.frames)-1].start + 1 }

func (f *Folder) push(t Token) {
	for int(t.Shape) >= len(f.latest) {
		f.latest = append(f.latest, make([]int32, 1+len(f.latest))...)
	}
	f.tokens = append(f.tokens, t)
	f.same = append(f.same, f.latest[t.Shape]-1)
	f.latest[t.Shape] = int32(len(f.tokens))
}

// cut forgets all tokens but the first n.
func (f *Folder) cut(n int) {
	for i := len(f.tokens) - 1; i >= n; i-- {
		f.latest[f.tokens[i].Shape] = f.same[i] + 1
	}
	f.tokens, f.same = f.tokens[:n], f.same[:n]
}

// fold looks for a group of tokens that the list ends with twice, or once after a sequence of it. The last token is
// complete: another one is about to follow.
func (f *Folder) fold() {
	if len(f.tokens) < f.first()+2 {
		return
	}
	for f.absorb() || f.group() {
	}
}

// absorb counts a group into the sequence before it.
func (f *Folder) absorb() bool {
	fr := &f.frames[len(f.frames)-1]
	at, n := fr.sequence, len(f.tokens)
	if at < 0 || at >= n-1 {
		return false
	}
	edges := f.dictionary.EdgesOf(f.tokens[at].Shape)
	if len(edges) != n-1-at || !equalTokens(edges, f.tokens[at+1:]) || f.tokens[at].Count == maxCount {
		return false
	}
	f.cut(at + 1)
	f.tokens[at].Count++
	return true
}

// group makes a sequence of a group that stands twice. A group of one is a recursion: equal tokens of other shapes have
// been counted already.
func (f *Folder) group() bool {
	first, n := f.first(), len(f.tokens)
	if n-first < 2 {
		return false
	}
	j := int(f.same[n-1])
	for tries := 0; tries < maxTries && j >= first; tries++ {
		g := n - 1 - j
		if g > maxGroup || n-2*g < first {
			return false
		}
		if equalTokens(f.tokens[n-2*g:n-g], f.tokens[n-g:]) && (g > 1 || f.dictionary.recurs(f.tokens[n-1].Shape)) {
			shape := f.dictionary.Composite(f.tokens[n-g:])
			f.cut(n - 2*g)
			f.push(Token{shape, 2})
			f.frames[len(f.frames)-1].sequence = n - 2*g
			return true
		}
		j = int(f.same[j])
	}
	return false
}

func equalTokens(a, b []Token) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
