package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
)

// text is a kind of trace that is written as Chrome's trace events, since it shows what definitions cost a converter.
type text struct {
	name, what string
	// event writes the JSON of event i, with the end of each line.
	event func(w io.Writer, i uint64, end string) error
}

var texts = []text{
	{"names", "one thread with as many slices as there are events, each of a name of its own (65 bytes)", nameEvent},
	{"threads", "as many threads as there are events, one slice on each (65 bytes)", threadEvent},
	{"named-threads", "as many threads as there are events, with names and three slices each", namedThread},
	{"arguments", "one thread with as many slices as there are events, each with 2 kB of arguments that are alike, but no two are equal", alikeArguments},
	{"random-arguments", "the same with 700 bytes of arguments, half of which are random", randomArguments},
}

func nameEvent(w io.Writer, i uint64, end string) error {
	_, err := fmt.Fprintf(w, `{"ph":"X","name":"function%07d","pid":1,"tid":1,"ts":%d,"dur":5}%s`, i, 10*i, end)
	return err
}

func threadEvent(w io.Writer, i uint64, end string) error {
	_, err := fmt.Fprintf(w, `{"ph":"X","name":"work","pid":1,"tid":%d,"ts":%d,"dur":5}%s`, i, 10*i, end)
	return err
}

func namedThread(w io.Writer, i uint64, end string) error {
	_, err := fmt.Fprintf(w, `{"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":"worker %d"}},`+"\n", i/16, i, i)
	for slice := range uint64(3) {
		close := ",\n"
		if slice == 2 {
			close = end
		}
		if err == nil {
			_, err = fmt.Fprintf(w, `{"ph":"X","name":"step%d","pid":%d,"tid":%d,"ts":%d,"dur":5}%s`, (i+slice)%10, i/16, i, i%1000+10*slice, close)
		}
	}
	return err
}

func alikeArguments(w io.Writer, i uint64, end string) error {
	var s strings.Builder
	fmt.Fprintf(&s, "step %d of 1000000: ", i)
	for k := range uint64(27) {
		fmt.Fprintf(&s, "input %d: shape [%d, %d, 128], bytes %d, strides [%d, 128, 1]; ", k, 8<<(k%5), 16+k, 4096*(k+1), 128*(16+k))
	}
	return argumentEvent(w, i, s.String(), end)
}

func randomArguments(w io.Writer, i uint64, end string) error {
	r := rand.New(rand.NewPCG(i, 1))
	var s strings.Builder
	for k := range 14 {
		fmt.Fprintf(&s, "tensor %2d at 0x%016x%06x, next; ", k, r.Uint64(), r.Uint64N(1<<24))
	}
	return argumentEvent(w, i, s.String(), end)
}

func argumentEvent(w io.Writer, i uint64, what, end string) error {
	_, err := fmt.Fprintf(w, `{"ph":"X","name":"step","pid":1,"tid":1,"ts":%d,"dur":5,"args":{"what":"%s"}}%s`, 10*i, what, end)
	return err
}

// listed describes the kinds of texts.
func listed() string {
	var b strings.Builder
	for _, t := range texts {
		fmt.Fprintf(&b, "%s: %s\n", t.name, t.what)
	}
	return b.String()
}

// writeText writes a list of events.
func writeText(name string, n uint64, path string) (err error) {
	for _, t := range texts {
		if t.name == name {
			return t.write(n, path)
		}
	}
	return fmt.Errorf("%s is no kind of text; there are\n%s", name, listed())
}

func (t *text) write(n uint64, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	_, err = io.WriteString(w, "[\n")
	for i := uint64(0); i < n && err == nil; i++ {
		end := ",\n"
		if i == n-1 {
			end = "\n]\n"
		}
		err = t.event(w, i, end)
	}
	return errors.Join(err, w.Flush(), f.Close())
}
