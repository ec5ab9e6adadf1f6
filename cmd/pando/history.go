package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/trace"
)

// addStamp adds the flag that asks for what is not the same each time.
func addStamp(cmd *cobra.Command, stamp *bool) {
	cmd.Flags().BoolVar(stamp, "stamp", false, "note in the file who makes it, where and when")
}

// telling are the flags that have an effect on what a file holds.
var telling = []string{"lenient", "from", "to", "until", "location", "region", "drop-metrics", "align", "slice-events", "lane-locations", "fanout", "epoch-slices"}

// converter tells who converts, for the file's history: the program, the flags of the verb, and a stamp if that is wanted.
func converter(cmd *cobra.Command, stamp bool) convert.By {
	options := []string{cmd.Name()}
	for _, name := range telling {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			options = append(options, "--"+name+"="+f.Value.String())
		}
	}
	by := convert.By{Program: "pando " + version(), Options: strings.Join(options, " ")}
	if stamp {
		name := "somebody"
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
		host, _ := os.Hostname()
		by.Note = fmt.Sprintf("by %s on %s, %s", name, cmp.Or(host, "a nameless machine"), time.Now().UTC().Format(time.RFC3339))
	}
	return by
}

// conversionStep is a step of the history as JSON.
type conversionStep struct {
	Program string       `json:"program"`
	Options string       `json:"options"`
	Note    string       `json:"note"`
	Files   []filesNoted `json:"files"`
}

type filesNoted struct {
	Name   string `json:"name"`
	Count  uint64 `json:"count"`
	Bytes  uint64 `json:"bytes"`
	Oldest string `json:"oldest"`
	Newest string `json:"newest"`
}

func historyOf(m *trace.Meta) []conversionStep {
	list := []conversionStep{}
	for _, c := range m.History {
		s := conversionStep{Program: c.Program, Options: c.Options, Note: c.Note, Files: []filesNoted{}}
		for _, f := range c.Files {
			s.Files = append(s.Files, filesNoted{f.Name, f.Count, f.Bytes, secondText(f.Oldest), secondText(f.Newest)})
		}
		list = append(list, s)
	}
	return list
}

func secondText(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) }

// printHistory lists the conversions that the trace went through, and the files that were read.
func (o *overview) printHistory(w io.Writer) {
	if len(o.History) == 0 {
		return
	}
	t := newTable([]string{"files", "size"}, "converted by", "options", "of", "files", "size", "modified")
	for _, s := range o.History {
		who, options := strings.TrimSpace(s.Program+" "+s.Note), s.Options
		for _, f := range s.Files {
			modified := f.Oldest
			if f.Newest != f.Oldest {
				modified += " to " + f.Newest
			}
			t.AppendRow([]any{cell(who), cell(options), cell(f.Name), grouped(f.Count), size(f.Bytes), modified})
			who, options = "", ""
		}
	}
	fmt.Fprintf(w, "\n%s\n", t.Render())
}
