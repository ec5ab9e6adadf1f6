package verb

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/trace"
)

// Notes are what the flags --note say of a trace: each a property.
type Notes struct{ Properties []trace.Property }

// Add adds the flag.
func (n *Notes) Add(cmd *cobra.Command) {
	cmd.Flags().Var(n, "note", "note `KEY=VALUE` of the trace: how the program was run, for one; several times for several")
	CompleteFixed(cmd, "note", nil)
}

// Set takes one note. Keys are printed, and become names in other formats; pando. begins those of our own.
func (n *Notes) Set(text string) error {
	key, value, ok := strings.Cut(text, "=")
	name := trace.NotePrefix + key
	switch {
	case !ok:
		return fmt.Errorf("%q is no KEY=VALUE", text)
	case key == "":
		return fmt.Errorf("%q has no key before its =", text)
	case strings.HasPrefix(strings.ToLower(key), "pando."):
		return fmt.Errorf("key %s: those that begin with pando. are the program's own", key)
	case strings.ContainsFunc(key, func(r rune) bool { return r == ' ' || !strconv.IsPrint(r) }) || !utf8.ValidString(key):
		return fmt.Errorf("key %q has characters that are not printed, or spaces", key)
	case !utf8.ValidString(value):
		return fmt.Errorf("the value of %s is no text in UTF-8", key)
	case slices.ContainsFunc(n.Properties, func(p trace.Property) bool { return p.Name == name }):
		return fmt.Errorf("%s is noted twice", key)
	}
	n.Properties = append(n.Properties, trace.Property{Name: name, Value: value})
	return nil
}

// String returns the notes, as the history of a file has them.
func (n *Notes) String() string {
	var list []string
	for _, p := range n.Properties {
		list = append(list, strings.TrimPrefix(p.Name, trace.NotePrefix)+"="+p.Value)
	}
	return strings.Join(list, ",")
}

// Type is not shown: the help has the form in what the flag is for.
func (n *Notes) Type() string { return "string" }
