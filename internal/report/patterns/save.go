package patterns

import (
	"errors"

	"github.com/pandotrace/pando/trace/annotation"
)

// Errors of patterns that cannot be kept.
var (
	ErrSeveral = errors.New("a name is for one pattern, and there are several periods")
	ErrSilent  = errors.New("there are no messages, and so there is no pattern that could have a name")
)

// Annotation returns the pattern of the only phase as an annotation.
func (r *Report) Annotation(name, text string) (a annotation.Annotation, err error) {
	if len(r.Phases) != 1 {
		return a, ErrSeveral
	}
	p, found := &r.Phases[0], r.found[0]
	if p.Messages == 0 {
		return a, ErrSilent
	}
	a = annotation.Annotation{
		Kind: annotation.Messages, Name: name, Class: p.Pattern.Name, From: r.first + p.FromTicks, To: r.first + p.ToTicks, Communicator: annotation.NoCommunicator,
		Fingerprint: found.Fingerprint(), Text: text,
	}
	if id, ok := found.Communicator(); ok {
		a.Communicator = id
	}
	return a, nil
}
