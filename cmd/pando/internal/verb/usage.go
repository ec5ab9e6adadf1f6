package verb

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/analysis/rules"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/rule"
)

// usageError marks mistakes in the command line.
type usageError struct{ error }

// Unwrap returns the mistake.
func (e usageError) Unwrap() error { return e.error }

// Usage makes an error one of the command line.
func Usage(err error) error { return usageError{err} }

// Usagef returns an error of the command line.
func Usagef(format string, args ...any) error { return Usage(fmt.Errorf(format, args...)) }

// IsUsage reports whether an error is one of the command line.
func IsUsage(err error) bool {
	var usage usageError
	return errors.As(err, &usage)
}

// partError marks what was done, but not all of it.
type partError struct{ error }

// Unwrap returns what was not done.
func (e partError) Unwrap() error { return e.error }

// Part makes an error one about the rest of what was done.
func Part(err error) error { return partError{err} }

// IsPart reports whether something was done, but not all.
func IsPart(err error) bool {
	var part partError
	return errors.As(err, &part)
}

// OneLine joins the lines of an error, and escapes control characters: names in files, and names of files, may have any bytes.
// An expression that is wrong stands below what is wrong with it, with a caret under the place.
func OneLine(err error) string {
	_, expression := errors.AsType[*rule.Error](err)
	_, ofUser := errors.AsType[*rules.Error](err)
	if expression || ofUser {
		var lines []string
		for line := range strings.SplitSeq(err.Error(), "\n") {
			lines = append(lines, report.Printable(line))
		}
		return strings.Join(lines, "\n")
	}
	return oneLine(err)
}

func oneLine(err error) string { return report.Printable(strings.ReplaceAll(err.Error(), "\n", "; ")) }

// Arguments checks the number of arguments against their names: "FILE", "OUT".
func Arguments(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return Usagef("missing %s", strings.Join(names[len(args):], " and "))
		case len(args) > len(names):
			return Usagef("unexpected argument %q", args[len(names)])
		}
		return nil
	}
}
