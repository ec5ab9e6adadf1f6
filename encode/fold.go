package encode

// Folder turns the events of one location in one slice into tokens: it folds each completed call into a shape, runs of
// equal shapes into one counted token, and runs of equal groups of tokens into a counted token of a sequence shape.
// Calls that are cut by the slice's borders, or that do not nest, stay unfolded: their enter and leave are tokens of
// their own.
//
// An enter of a call that is still open stands in the token list itself, so that to give up a call costs nothing.
type Folder struct {
	dictionary *Dictionary
	tokens     []Token
	same       []int32 // by token: where the previous token of the same shape stands, -1 if there is none
	latest     []int32 // by shape: where its latest token stands; may be out of date
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

// Reset starts a location's part of a slice.
func (f *Folder) Reset(d *Dictionary) {
	f.dictionary, f.tokens, f.same = d, f.tokens[:0], f.same[:0]
	f.frames = append(f.frames[:0], frame{-1, -1})
}

// Tokens returns the folded events. The result is valid until the next Reset.
func (f *Folder) Tokens() []Token {
	f.frames = append(f.frames[:0], frame{-1, -1})
	f.fold()
	return f.tokens
}

// Point adds an event that is no enter and no leave.
func (f *Folder) Point(leaf uint32) { f.append(leaf) }

// Enter adds an enter.
func (f *Folder) Enter(leaf uint32) {
	f.fold()
	f.frames = append(f.frames, frame{len(f.tokens), -1})
	f.push(Token{leaf, 1})
}

// Leave adds a leave that closes the open call `up` places below the innermost one; those further in are given up.
func (f *Folder) Leave(leaf uint32, up int) {
	f.fold()
	f.push(Token{leaf, 1})
	top := len(f.frames) - 1 - up
	at := f.frames[top].start
	f.frames = f.frames[:top]
	call := f.dictionary.Composite(f.tokens[at:])
	f.cut(at)
	f.append(call)
}

// LeaveOutside adds a leave that closes a call entered in an earlier slice; all calls open in this one are given up.
// (A leave that closes nothing at all is a Point.)
func (f *Folder) LeaveOutside(leaf uint32) {
	f.frames = append(f.frames[:0], frame{-1, -1})
	f.append(leaf)
}

func (f *Folder) append(shape uint32) {
	n := len(f.tokens)
	if n > f.first() && f.tokens[n-1].Shape == shape && f.tokens[n-1].Count < 1<<32-1 {
		f.tokens[n-1].Count++
		return
	}
	f.fold()
	f.push(Token{shape, 1})
}

// first returns where the children of the innermost open call begin.
func (f *Folder) first() int { return f.frames[len(f.frames)-1].start + 1 }

func (f *Folder) push(t Token) {
	for int(t.Shape) >= len(f.latest) {
		f.latest = append(f.latest, make([]int32, 1+len(f.latest))...)
	}
	n := len(f.tokens)
	before := f.latest[t.Shape]
	if int(before) >= n || f.tokens[before].Shape != t.Shape {
		before = -1
	}
	f.tokens = append(f.tokens, t)
	f.same = append(f.same, before)
	f.latest[t.Shape] = int32(n)
}

func (f *Folder) cut(n int) { f.tokens, f.same = f.tokens[:n], f.same[:n] }

// fold looks for a group of tokens that the list ends with twice, or once after a sequence of it. The last token is
// complete: another one is about to follow.
func (f *Folder) fold() {
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
	if len(edges) != n-1-at || !equalTokens(edges, f.tokens[at+1:]) || f.tokens[at].Count == 1<<32-1 {
		return false
	}
	f.cut(at + 1)
	f.tokens[at].Count++
	return true
}

// group makes a sequence of a group that stands twice.
func (f *Folder) group() bool {
	first, n := f.first(), len(f.tokens)
	if n-first < 4 {
		return false
	}
	j := int(f.same[n-1])
	for tries := 0; tries < maxTries && j >= first; tries++ {
		g := n - 1 - j
		if g > maxGroup || n-2*g < first {
			return false
		}
		if g > 1 && equalTokens(f.tokens[n-2*g:n-g], f.tokens[n-g:]) {
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
