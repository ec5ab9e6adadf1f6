package read

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pandotrace/pando/convert/chrome/internal/form"
	"github.com/pandotrace/pando/convert/chrome/internal/scan"
	"github.com/pandotrace/pando/trace"
)

// Bounds of what is kept of a file besides its events.
const (
	maxPropertyBytes = 64 << 10 // of one value
	maxProperties    = 256
)

// Document goes through a file: a list of events, or an object that has such a list. Event is called for each.
type Document struct {
	*scan.Input
	lenient    bool
	warnings   *trace.Warnings
	properties []trace.Property
	Event      func(s *scan.Scanner) error
	found      bool // a list of events
	ended      bool // it is known that the file has no end
}

// Read reads the file to its end.
func (d *Document) Read() error {
	c, err := d.Peek()
	switch {
	case err != nil:
		return err
	case c == '[':
		err = d.events(true)
	case c == '{':
		err = d.object()
	default:
		return d.Failure(trace.ErrCorrupt, "neither a list of events nor an object")
	}
	if errors.Is(err, scan.ErrShort) {
		return d.short()
	}
	if err != nil {
		return err
	}
	return d.behind()
}

// short is the end of a file within something.
func (d *Document) short() error {
	if !d.lenient {
		return d.Failure(trace.ErrCorrupt, "%s; --lenient reads what is there", scan.ErrShort.Error())
	}
	d.unfinished("it ends within something at line %d")
	return nil
}

// unfinishedProperty is the property of a trace whose file has no end, so that what was made of it says so too.
const unfinishedProperty = "unfinished"

// unfinished notes that the file has no end; the text has a place for the number of its last line.
func (d *Document) unfinished(format string) {
	d.ended = true
	d.warnings.Add(unfinishedProperty+" file", format, d.Lines+1)
	d.properties = append(d.properties, trace.Property{Name: unfinishedProperty, Value: fmt.Sprintf(format, d.Lines+1)})
}

// behind looks at what follows.
func (d *Document) behind() error {
	_, err := d.Peek()
	if err == nil && d.Torn && !d.ended {
		d.unfinished("the compressed file ends too early, behind line %d")
	}
	if err != nil || d.AtEnd() {
		return err
	}
	d.warnings.Add("text behind the trace", "line %d", d.Lines+1)
	return nil
}

// object reads an object that has a list of events among its members.
func (d *Document) object() error {
	d.Advance(1)
	for {
		c, err := d.Peek()
		if err != nil {
			return err
		}
		if c == '}' {
			d.Advance(1)
			break
		}
		if err := d.member(); err != nil {
			return err
		}
		if c, err = d.Peek(); err != nil {
			return err
		}
		if c == ',' {
			d.Advance(1)
		} else if c != '}' {
			return d.unexpected(c, ", or }")
		}
	}
	if !d.found {
		return d.Failure(trace.ErrCorrupt, "the object has no traceEvents")
	}
	return nil
}

// member reads a member of the object.
func (d *Document) member() error {
	var name string
	err := d.Take(func(s *scan.Scanner) error {
		key, err := s.Key()
		var room []byte
		name = strings.ToValidUTF8(string(scan.Text(key, &room)), "\ufffd")
		return err
	})
	if err != nil {
		return err
	}
	c, err := d.Peek()
	if err != nil {
		return err
	}
	if name == "traceEvents" && c == '[' {
		return d.events(false)
	}
	return d.property(name)
}

// property keeps what the file says besides events.
func (d *Document) property(name string) error {
	size := 0
	err := d.Take(func(s *scan.Scanner) error {
		value, err := s.Value()
		if size = len(value); err == nil && size <= maxPropertyBytes && len(d.properties) < maxProperties {
			d.properties = append(d.properties, trace.Property{Name: form.PropertyPrefix + name, Value: string(value)})
			size = 0
		}
		return err
	})
	if err == nil && size > 0 {
		d.warnings.Add("part of the file that is not kept", "%s: %d bytes", name, size)
	}
	return err
}

// events reads a list of events. In a file that is nothing else the format lets the end of the list be missing. Such a file may
// also have been cut behind any event, so there is a warning.
func (d *Document) events(alone bool) error {
	d.found = true
	d.Advance(1)
	for {
		c, err := d.PeekItem()
		switch {
		case err != nil:
			return err
		case c == ']':
			d.Advance(1)
			return nil
		case d.AtEnd():
			if !alone {
				return scan.ErrShort
			}
			d.unfinished("the list of events has no end at line %d")
			return nil
		case c == '{':
			err = d.Take(d.Event)
		default:
			err = d.Take(func(s *scan.Scanner) error {
				_, err := s.Value()
				return err
			})
			d.warnings.Add("what is no event among events", "line %d", d.Lines+1)
		}
		if err != nil {
			return err
		}
	}
}

func (d *Document) unexpected(c byte, want string) error {
	if d.AtEnd() {
		return scan.ErrShort
	}
	return d.Failure(trace.ErrCorrupt, "%q where %s must be", c, want)
}
