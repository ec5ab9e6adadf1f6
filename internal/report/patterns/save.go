package patterns

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pandotrace/pando/trace/annotation"
)

// Errors of patterns that cannot be kept.
var (
	ErrSeveral = errors.New("a name is for one pattern, and there are several periods; phases are kept --by phase")
	ErrSilent  = errors.New("there are no messages, and so there is no pattern that could have a name")
)

// Annotations returns what is found as annotations. Of phases, each loop is a pattern of calls NAME/2/calls, and the messages of each phase are one NAME/2/messages, where 2 says
// that it is the second one. Without phases, there is the pattern of messages NAME.
func (r *Report) Annotations(name, text string) (list []annotation.Annotation, err error) {
	if !r.Loops && len(r.Phases) != 1 {
		return nil, ErrSeveral
	}
	for i := range r.Phases {
		p, of := &r.Phases[i], name
		if r.Loops {
			of = fmt.Sprint(name, annotation.Below, i+1)
		}
		if p.Loop != nil {
			list = append(list, r.calls(p, of+annotation.Below+"calls", text))
		}
		if p.Messages > 0 {
			if r.Loops {
				of += annotation.Below + "messages"
			}
			list = append(list, r.messages(i, of, text))
		}
	}
	if len(list) == 0 {
		return nil, ErrSilent
	}
	return list, nil
}

// messages is the pattern of the messages of a phase.
func (r *Report) messages(phase int, name, text string) annotation.Annotation {
	p, found := &r.Phases[phase], r.found[phase]
	a := annotation.Annotation{
		Kind: annotation.Messages, Name: name, Class: p.Pattern.Name, From: r.first + p.FromTicks, To: r.first + p.ToTicks, Communicator: annotation.NoCommunicator,
		Fingerprint: found.Fingerprint(), Text: text,
	}
	if id, ok := found.Communicator(); ok {
		a.Communicator = id
	}
	return a
}

// calls is what the loop of a phase consists of. Where calls have nothing inside, they are all that is repeated.
func (r *Report) calls(p *Phase, name, text string) annotation.Annotation {
	l := p.Loop.of
	routine := &annotation.Routine{Least: uint64(l.Least), Most: uint64(l.Most), Share: uint32(min(p.Loop.Share, 1) * annotation.Whole), Locations: annotation.Spans(l.Locations)}
	for i, region := range l.Body {
		routine.Steps = append(routine.Steps, annotation.Step{Region: region, Count: l.Counts[i]})
	}
	if len(routine.Steps) == 0 {
		routine.Steps = []annotation.Step{{Region: l.Title, Count: 1}}
	}
	return annotation.Annotation{
		Kind: annotation.Calls, Name: name, Class: l.Title, From: r.first + p.FromTicks, To: r.first + p.ToTicks, Communicator: annotation.NoCommunicator,
		Fingerprint: binary.BigEndian.AppendUint64(nil, l.Fingerprint()), Text: text, Routine: routine,
	}
}
