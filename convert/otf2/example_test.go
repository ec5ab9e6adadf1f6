package otf2_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/pandotrace/pando/convert/otf2"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/trace"
)

// Write makes an OTF2 archive of any source, and Open reads one, batch by batch.
func Example() {
	dir, err := os.MkdirTemp("", "archive")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	anchor := filepath.Join(dir, "traces.otf2")
	if _, err := otf2.Write(context.Background(), tracegen.Ring(4, 20, 1), anchor, otf2.WriteOptions{}); err != nil {
		log.Fatal(err)
	}

	a, err := otf2.Open(anchor, otf2.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	sends := 0
	for _, info := range a.Streams() {
		if info.Class == trace.StreamEvents {
			sends += count(a, info.StreamID, trace.KindMpiIsend, trace.KindMpiSend)
		}
	}
	fmt.Println(sends > 0)
	// Output: true
}

// count returns the number of records of some kinds in a stream.
func count(a *otf2.Archive, id trace.StreamID, kinds ...trace.Kind) (n int) {
	s, err := a.Open(id)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for b := new(trace.Batch); ; {
		err := s.Next(b, 1024)
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			log.Fatal(err)
		}
		for _, k := range b.Kinds {
			for _, wanted := range kinds {
				if k == wanted {
					n++
				}
			}
		}
	}
}
