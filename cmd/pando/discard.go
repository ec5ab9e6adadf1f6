package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/store"
)

// addDiscard adds the flag that removes what a writer that is gone has left.
func addDiscard(cmd *cobra.Command, discard *bool, out string) {
	cmd.Flags().BoolVar(discard, "discard", false, "remove the unfinished "+out+".part that a writer that is gone has left")
}

// advised adds to the error about an unfinished output what can be done about it.
func advised(err error) error {
	var left *store.LeftoverError
	if !errors.As(err, &left) {
		return err
	}
	advice := "--discard removes it"
	if name, ok := convert.Detect(left.Part); ok && name == "Pando" && !strings.HasSuffix(left.Part, ".saved.part") {
		to := free(strings.TrimSuffix(left.Part, ".part"))
		advice = fmt.Sprintf("pando recover %s %s saves what is in it; %s", quoted(left.Part), quoted(to), advice)
	}
	return fmt.Errorf("%w; %s", err, advice)
}

// free returns a name that no file has: this one, or one like it.
func free(path string) string {
	ext := filepath.Ext(path)
	name := path
	for n := 1; ; n++ {
		if _, err := os.Lstat(name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s.recovered-%d%s", strings.TrimSuffix(path, ext), n, ext)
	}
}

// quoted returns a path as a shell takes it, so that a command can be copied.
func quoted(path string) string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path
	}
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+,:@%=") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}
