package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan makes the hidden verb that packagers call.
func newMan() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write manual pages into a folder",
		Hidden: true,
		Args:   arguments("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return err
			}
			header := &doc.GenManHeader{Section: "1", Source: "pando " + version(), Manual: "Pando"}
			if os.Getenv("SOURCE_DATE_EPOCH") == "" {
				header.Date = &time.Time{} // pages must not differ from build to build
			}
			return doc.GenManTree(cmd.Root(), header, args[0])
		},
	}
}
