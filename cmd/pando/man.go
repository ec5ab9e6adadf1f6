package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/store"
)

// newMan makes the hidden verb that packagers call.
func newMan() *cobra.Command {
	var discard bool
	cmd := &cobra.Command{
		Use:    "man DIR",
		Short:  "Write manual pages into a folder; their date is $SOURCE_DATE_EPOCH or today",
		Hidden: true,
		Args:   arguments("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			return writePages(cmd.Root(), args[0], store.OutputOptions{Discard: discard})
		},
	}
	addDiscard(cmd, &discard, "PAGE")
	return cmd
}

// writePages writes the page of a verb, and before it those of the verbs below.
func writePages(cmd *cobra.Command, dir string, opt store.OutputOptions) error {
	for _, c := range cmd.Commands() {
		if !c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := writePages(c, dir, opt); err != nil {
			return err
		}
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	page, err := claim.Create(filepath.Join(dir, name), opt)
	if err != nil {
		return err
	}
	defer page.Discard()
	header := &doc.GenManHeader{Section: "1", Source: "pando " + version(), Manual: "Pando"}
	if err := doc.GenMan(cmd, header, page); err != nil {
		return err
	}
	return page.Commit()
}
