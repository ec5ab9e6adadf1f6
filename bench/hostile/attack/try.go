package attack

import (
	"net/http"
	"os"
	"path/filepath"
)

// must says what the program has to do with an input, besides ending in bounds with an answer or a clear error.
type must int

const (
	anything  must = iota
	refuse         // an error
	sameOr         // an error, or the answer that the sound file gives
	notSilent      // an error, a warning, or all events of the sound trace
	answer         // an answer
)

// try is one hostile input and the command line that gets it. The program runs in the folder that the files are in.
type try struct {
	args   []string
	must   must
	want   string                // sameOr: the answer of the sound file
	events string                // notSilent: the events of the sound trace, as conversions print them
	placed bool                  // an error of content must name section and offset
	memory int64                 // peak resident bytes allowed, if not the usual ones
	input  string                // the file that a clear error names
	check  func(*outcome) string // further demands; returns what is wrong
	during func(stop <-chan struct{})
	server http.Handler // for {URL} in the arguments
}

// kind is a kind of hostile inputs.
type kind struct {
	group, name string
	full        int // inputs of a full run
	make        func(a *Attack, d dice, dir string) (*try, error)
}

// put writes a file into the folder of a try.
func put(dir, name string, data []byte) error {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o666)
}

// put writes the files of an archive.
func (b archive) put(dir string) error {
	for name, data := range b.files {
		if err := put(dir, name, data); err != nil {
			return err
		}
	}
	return nil
}

// kinds returns all kinds, in the order of the report.
func kinds() []kind {
	var all []kind
	for _, list := range [][]kind{pandoKinds, foreignKinds, chromeKinds, archiveKinds, nameKinds, valueKinds, pathKinds, serverKinds} {
		all = append(all, list...)
	}
	return all
}
