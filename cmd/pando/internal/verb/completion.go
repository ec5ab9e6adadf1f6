package verb

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/selector"
)

// Completion of words on the command line: cobra asks for them when a shell does. Of a file only the definitions are read. What cannot be read
// has no completion, and no error on the terminal.

// mostCompletions bounds the values that are offered.
const mostCompletions = 1000

// CompleteFixed offers values for a flag; none keeps the shell from offering files.
func CompleteFixed(cmd *cobra.Command, flag string, values []string) {
	CompleteWith(cmd, flag, func() []string { return values })
}

// CompleteWith offers what values returns for a flag.
func CompleteWith(cmd *cobra.Command, flag string, values func() []string) {
	complete(cmd, flag, func(_ *cobra.Command, _ []string, begun string) []string { return Beginning(values(), begun) })
}

// CompleteList offers what values returns for a flag whose value is a list, word by word.
func CompleteList(cmd *cobra.Command, flag string, values func() []string) {
	complete(cmd, flag, func(_ *cobra.Command, _ []string, begun string) []string {
		before := begun[:strings.LastIndexByte(begun, ',')+1]
		list := Beginning(values(), begun[len(before):])
		for i := range list {
			list[i] = before + list[i]
		}
		return list
	})
}

// CompleteFrom offers names that a file has for a flag: that of the first argument.
func CompleteFrom(cmd *cobra.Command, flag string, names func(*report.Trace) []string) {
	complete(cmd, flag, func(_ *cobra.Command, args []string, begun string) []string {
		if len(args) == 0 || args[0] == "-" {
			return nil
		}
		f, err := Open(args[0])
		if err != nil {
			return nil
		}
		defer f.Close()
		sign := ""
		if rest, minus := strings.CutPrefix(begun, "!"); minus {
			sign, begun = "!", rest
		}
		list := Beginning(names(f), begun)
		for i := range list {
			list[i] = sign + list[i]
		}
		return list
	})
}

func complete(cmd *cobra.Command, flag string, values func(*cobra.Command, []string, string) []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		return values(cmd, args, begun), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag does not exist, or has completions already
	}
}

// Beginning returns the values that begin with a text, in whatever case, sorted.
func Beginning(values []string, begun string) []string {
	found := map[string]bool{}
	for _, v := range values {
		if len(v) >= len(begun) && strings.EqualFold(v[:len(begun)], begun) && !strings.ContainsAny(v, "\n\t") {
			found[v] = true
		}
	}
	list := slices.Sorted(maps.Keys(found))
	return list[:min(len(list), mostCompletions)]
}

// LocationsOf returns the names of the locations of a file.
func LocationsOf(f *report.Trace) (names []string) {
	ids, err := f.LocationIDs()
	if err != nil {
		return nil
	}
	for _, id := range ids {
		names = append(names, f.Label(id))
	}
	return append(names, selector.LocationClasses(f.Names().Definitions(), ids)...)
}

// RegionsOf returns the names of the regions of a file.
func RegionsOf(f *report.Trace) (names []string) {
	defs, err := f.Definitions()
	if err != nil {
		return nil
	}
	for _, id := range defs.Regions() {
		names = append(names, defs.Name(trace.SpaceRegion, id))
	}
	return append(names, selector.RegionClasses(defs)...)
}

// kindsOf returns the names of the kinds of events of a file.
func kindsOf(f *report.Trace) (names []string) {
	for _, k := range f.Info().Kinds {
		if s := f.Meta().Table().Spec(k.Kind); s != nil {
			names = append(names, s.Name)
		}
	}
	return append(names, selector.KindClasses()...)
}

// CompleteFiles lets arguments be Pando files, also those that are being written.
func CompleteFiles(cmd *cobra.Command) {
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{strings.TrimPrefix(report.Extension, "."), strings.TrimPrefix(PartExtension, ".")}, cobra.ShellCompDirectiveFilterFileExt
	}
}

// CompleteTraces lets arguments be files and folders of any name.
func CompleteTraces(cmd *cobra.Command) {
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// DidYouMean asks whether one of some names was meant by another.
func DidYouMean(name string, names []string) string {
	return trace.DidYouMean(trace.Near(name, slices.Values(names)))
}
