package main

import (
	"bufio"
	"io"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/report"
)

// outputBuffer is the size of the buffer before standard output, in bytes.
const outputBuffer = 64 << 10

// buffered lets print write to out, buffered.
func buffered(out io.Writer, print func(w *bufio.Writer) error) error {
	w := bufio.NewWriterSize(out, outputBuffer)
	if err := print(w); err != nil {
		return err
	}
	return w.Flush()
}

// write writes an answer as text, or as JSON.
func write(out io.Writer, a report.Answer, json bool) error {
	return buffered(out, func(w *bufio.Writer) error { return report.Write(w, a, formatOf(json)) })
}

// formatOf returns the format for the flag --json.
func formatOf(json bool) report.Format {
	if json {
		return report.JSON
	}
	return report.Text
}

func addJSON(cmd *cobra.Command, json *bool, what string) {
	cmd.Flags().BoolVar(json, "json", false, what)
}
