package encode

// Folder turns the events of one location in one slice into tokens: it folds each completed call into a shape, and
// runs of equal shapes into one counted token. Calls that are cut by the slice's borders, or that do not nest,
// stay unfolded: their enter and leave are tokens of their own.
//
// An enter of a call that is still open stands in the token list itself, so that to give up a call costs nothing.
type Folder struct {
	dictionary *Dictionary
	tokens     []Token
	frames     []int // where in tokens the enter of each open call stands
}

// Reset starts a location's part of a slice.
func (f *Folder) Reset(d *Dictionary) {
	f.dictionary, f.tokens, f.frames = d, f.tokens[:0], f.frames[:0]
}

// Tokens returns the folded events. The result is valid until the next Reset.
func (f *Folder) Tokens() []Token { return f.tokens }

// Point adds an event that is no enter and no leave.
func (f *Folder) Point(leaf uint32) { f.append(leaf) }

// Enter adds an enter.
func (f *Folder) Enter(leaf uint32) {
	f.frames = append(f.frames, len(f.tokens))
	f.tokens = append(f.tokens, Token{leaf, 1})
}

// Leave adds a leave that closes the open call `up` places below the innermost one; those further in are given up.
func (f *Folder) Leave(leaf uint32, up int) {
	f.tokens = append(f.tokens, Token{leaf, 1})
	top := len(f.frames) - 1 - up
	at := f.frames[top]
	f.frames = f.frames[:top]
	call := f.dictionary.Composite(f.tokens[at:])
	f.tokens = f.tokens[:at]
	f.append(call)
}

// LeaveOutside adds a leave that closes a call entered in an earlier slice; all calls open in this one are given up.
// (A leave that closes nothing at all is a Point.)
func (f *Folder) LeaveOutside(leaf uint32) {
	f.frames = f.frames[:0]
	f.append(leaf)
}

func (f *Folder) append(shape uint32) {
	n := len(f.tokens)
	free := n > 0 && (len(f.frames) == 0 || n-1 > f.frames[len(f.frames)-1])
	if free && f.tokens[n-1].Shape == shape && f.tokens[n-1].Count < 1<<32-1 {
		f.tokens[n-1].Count++
		return
	}
	f.tokens = append(f.tokens, Token{shape, 1})
}
