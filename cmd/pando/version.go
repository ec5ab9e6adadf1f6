package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/format"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of the program and of the file format",
		Args:  verb.Arguments(),
		RunE:  func(cmd *cobra.Command, _ []string) error { return printVersion(cmd.OutOrStdout()) },
	}
}

// printVersion prints the version of the program and of the file format.
func printVersion(out io.Writer) error {
	_, err := fmt.Fprintf(out, "pando %s, file format %d.%d (not frozen), %s %s/%s\n", version(), format.Major, format.Minor, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// version returns the version that the program was built from, if the build knows it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "of unknown version"
	}
	return info.Main.Version
}
