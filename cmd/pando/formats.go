package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert"
)

// formatsVerb lists the formats that can be read.
type formatsVerb struct {
	json bool
}

// formatEntry is a format as JSON shows it.
type formatEntry struct {
	Name     string   `json:"name"`
	Main     string   `json:"main"`
	Features []string `json:"features"`
}

func newFormats() *cobra.Command {
	v := &formatsVerb{}
	var long strings.Builder
	long.WriteString("List the formats that can be read, and what traces of each can hold. To be named on the command line:\n\n")
	for _, f := range convert.Formats() {
		fmt.Fprintf(&long, "  %-8s %s\n", f.Name, f.Main)
	}
	long.WriteString("\nOr a folder that holds one trace, or a packed archive of one: tar, tar.gz, tar.zst.")
	cmd := &cobra.Command{
		Use:   "formats",
		Short: "List the formats that can be read, and what each can express",
		Long:  long.String(),
		Args:  arguments(),
		RunE:  func(cmd *cobra.Command, _ []string) error { return v.run(cmd.OutOrStdout()) },
	}
	addJSON(cmd, &v.json, "print the list as JSON")
	return cmd
}

func (v *formatsVerb) run(out io.Writer) error {
	return buffered(out, func(w *bufio.Writer) error {
		if v.json {
			return printJSON(w, formatEntries())
		}
		printFormats(w)
		return nil
	})
}

func formatEntries() (list []formatEntry) {
	for _, f := range convert.Formats() {
		e := formatEntry{Name: f.Name, Main: f.Main, Features: []string{}}
		for _, feature := range convert.Features() {
			if f.Has(feature.Name) {
				e.Features = append(e.Features, feature.Name)
			}
		}
		list = append(list, e)
	}
	return list
}

// printFormats prints a table of features by formats.
func printFormats(w io.Writer) {
	header := []any{"traces hold"}
	for _, f := range convert.Formats() {
		header = append(header, f.Name)
	}
	t := newTable(nil, append(header, "what it is")...)
	for _, feature := range convert.Features() {
		row := []any{feature.Name}
		for _, f := range convert.Formats() {
			mark := ""
			if f.Has(feature.Name) {
				mark = "yes"
			}
			row = append(row, mark)
		}
		t.AppendRow(append(row, feature.Doc))
	}
	fmt.Fprintln(w, t.Render())
}
