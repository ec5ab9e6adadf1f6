package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan makes the hidden verb that packagers call.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write manual pages into a folder; their date is $SOURCE_DATE_EPOCH or today",
		Hidden: true,
		Args:   arguments("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			header := &doc.GenManHeader{Section: "1", Source: "pando " + version(), Manual: "Pando"}
			return doc.GenManTree(cmd.Root(), header, args[0])
		},
	}
}
