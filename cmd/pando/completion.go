package main

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

// completeFixed offers values for a flag; none keeps the shell from offering files.
func completeFixed(cmd *cobra.Command, flag string, values []string) {
	completeWith(cmd, flag, func() []string { return values })
}

// completeWith offers what values returns for a flag.
func completeWith(cmd *cobra.Command, flag string, values func() []string) {
	complete(cmd, flag, func(_ *cobra.Command, _ []string, begun string) []string { return beginning(values(), begun) })
}

// completeList offers what values returns for a flag whose value is a list, word by word.
func completeList(cmd *cobra.Command, flag string, values func() []string) {
	complete(cmd, flag, func(_ *cobra.Command, _ []string, begun string) []string {
		before := begun[:strings.LastIndexByte(begun, ',')+1]
		list := beginning(values(), begun[len(before):])
		for i := range list {
			list[i] = before + list[i]
		}
		return list
	})
}

// completeFrom offers names that a file has for a flag: that of the first argument.
func completeFrom(cmd *cobra.Command, flag string, names func(*report.Trace) []string) {
	complete(cmd, flag, func(_ *cobra.Command, args []string, begun string) []string {
		if len(args) == 0 || args[0] == "-" {
			return nil
		}
		f, err := open(args[0])
		if err != nil {
			return nil
		}
		defer f.Close()
		sign := ""
		if rest, minus := strings.CutPrefix(begun, "!"); minus {
			sign, begun = "!", rest
		}
		list := beginning(names(f), begun)
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

// beginning returns the values that begin with a text, in whatever case, sorted.
func beginning(values []string, begun string) []string {
	found := map[string]bool{}
	for _, v := range values {
		if len(v) >= len(begun) && strings.EqualFold(v[:len(begun)], begun) && !strings.ContainsAny(v, "\n\t") {
			found[v] = true
		}
	}
	list := slices.Sorted(maps.Keys(found))
	return list[:min(len(list), mostCompletions)]
}

// locationsOf returns the names of the locations of a file.
func locationsOf(f *report.Trace) (names []string) {
	for _, id := range f.Info().LocationIDs() {
		names = append(names, f.Label(id))
	}
	return append(names, selector.LocationClasses(f.Names().Definitions(), f.Info().LocationIDs())...)
}

// regionsOf returns the names of the regions of a file.
func regionsOf(f *report.Trace) (names []string) {
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

// completeFiles lets arguments be Pando files.
func completeFiles(cmd *cobra.Command) {
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{strings.TrimPrefix(report.Extension, ".")}, cobra.ShellCompDirectiveFilterFileExt
	}
}

// completeTraces lets arguments be files and folders of any name.
func completeTraces(cmd *cobra.Command) {
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// didYouMean asks whether one of some names was meant by another.
func didYouMean(name string, names []string) string {
	return trace.DidYouMean(trace.Near(name, slices.Values(names)))
}
