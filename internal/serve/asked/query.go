// Package asked reads the parameters of questions: what a [Query] says, or an [Error] that says what is wrong with it.
package asked

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Query is the query of a URL: the values of each parameter.
type Query map[string][]string

// Error is a fault of who asks.
type Error struct{ text string }

// Error implements error.
func (e *Error) Error() string { return e.text }

// Bad returns an error about a question.
func Bad(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Text returns the value of a parameter, "" without one. A second value is an error.
func (q Query) Text(name string) (string, error) {
	switch list := q[name]; len(list) {
	case 0:
		return "", nil
	case 1:
		return list[0], nil
	}
	return "", Bad("%s is given twice", name)
}

// List returns the values of a parameter, which have commas between them; nil without one.
func (q Query) List(name string) ([]string, error) {
	text, err := q.Text(name)
	if err != nil || len(q[name]) == 0 {
		return nil, err
	}
	return strings.Split(text, ","), nil
}

// Numbers is List of numbers from 0 on.
func (q Query) Numbers(name string) (list []uint32, err error) {
	texts, err := q.List(name)
	for _, text := range texts {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return nil, Bad("%s=%s: a list has numbers with commas between them", name, text)
		}
		list = append(list, uint32(n))
	}
	return list, err
}

// Number returns the value of a parameter between two bounds, none without one.
func (q Query) Number(name string, none, least, most int64) (int64, error) {
	text, err := q.Text(name)
	if err != nil || text == "" {
		return none, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, Bad("%s=%s is no number between %d and %d", name, text, least, most)
	}
	return n, nil
}

// Share returns the value of a parameter from 0 to 1, 0 without one.
func (q Query) Share(name string) (float64, error) {
	text, err := q.Text(name)
	if err != nil || text == "" {
		return 0, err
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, Bad("%s=%s is not between 0 and 1", name, text)
	}
	return v, nil
}

// ID returns the value of a parameter that is the id of a definition, none without one.
func (q Query) ID(name string, none uint64) (uint64, error) {
	text, err := q.Text(name)
	if err != nil || text == "" {
		return none, err
	}
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, Bad("%s=%s is no id", name, text)
	}
	return id, nil
}

// Truth returns whether a parameter is true; false without one.
func (q Query) Truth(name string) (bool, error) {
	text, err := q.Text(name)
	if err == nil && text != "" && text != "true" && text != "false" {
		err = Bad("%s=%s: it is true or false", name, text)
	}
	return text == "true", err
}

// OneOf returns the value of a parameter, which is one of some; the first one without one.
func (q Query) OneOf(name string, values ...string) (string, error) {
	text, err := q.Text(name)
	if text == "" {
		text = values[0]
	}
	if err == nil && !slices.Contains(values, text) {
		err = Bad("%s=%s: it can be %s", name, text, strings.Join(values, ", "))
	}
	return text, err
}
