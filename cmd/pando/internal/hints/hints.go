// Package hints knows which flags the users of other programs mean: those that they try here by habit.
package hints

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pandotrace/pando/trace"
)

// habits are flags of other programs, and what is meant by them here, the likeliest first. Those that a verb does not have are left out.
var habits = []struct{ flags, meant string }{
	{"out outfile out-file output-file outdir out-dir output-dir dest destination file O", "output"},
	{"fmt output-format outformat type t F", "format"},
	{"overwrite clobber replace y yes", "force"},
	{"silent s no-progress", "quiet"},
	{"start begin since from-time start-time t0 ss", "from after"},
	{"until end stop end-time to-time t1", "to before"},
	{"window range time", "from"},
	{"at", "from"},
	{"top count n head max max-count max-rows num lines rows m number", "limit"},
	{"fields field cols column select c", "columns"},
	{"rank ranks process thread proc tid pid loc locations p", "location"},
	{"function functions func name regions filter e grep", "region"},
	{"event events type kinds", "kind"},
	{"mem max-memory memory-limit", "memory"},
	{"jobs j threads", "workers"},
	{"color colours colors", "colour"},
	{"order order-by sort-by", "sort"},
	{"group-by groupby group", "by"},
	{"table", "tables"},
	{"host bind addr address port", "listen"},
	{"min min-length longer-than", "min-duration"},
	{"bins", "pixels"},
	{"check full", "deep"},
	{"V v", "version"},
}

// phrases are flags of other programs, and earlier ones of this, that one flag with a value stands for.
var phrases = []struct{ flags, flag, say string }{
	{"png", "output", "-o NAME.png"}, {"svg", "output", "-o NAME.svg"},
	{"csv", "format", "--format csv"}, {"parquet", "format", "--format parquet"}, {"arrow", "format", "--format arrow"}, {"arrows", "format", "--format arrows"},
	{"chrome perfetto", "format", "--format chrome"}, {"text txt", "format", "--format text"}, {"otf2", "format", "--format otf2"},
	{"stdout", "output", "-o -"},
}

// Meant asks whether other flags of a verb were meant by a name: " (did you mean --limit?)", or nothing.
func Meant(cmd *cobra.Command, name string) string {
	for _, p := range phrases {
		if slices.Contains(strings.Fields(p.flags), name) && cmd.Flags().Lookup(p.flag) != nil {
			return " (did you mean " + p.say + "?)"
		}
	}
	list := habitual(cmd, name)
	if len(list) == 0 && len(name) > 1 {
		list = trace.Near(name, slices.Values(flagsOf(cmd)))
	}
	for i := range list {
		list[i] = "--" + list[i]
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf(" (did you mean %s?)", strings.Join(list, " or "))
}

// habitual returns the flags of a verb that users of other programs know by a name.
func habitual(cmd *cobra.Command, name string) (list []string) {
	for _, h := range habits {
		if !slices.Contains(strings.Fields(h.flags), name) {
			continue
		}
		for _, meant := range strings.Fields(h.meant) {
			if cmd.Flags().Lookup(meant) != nil && !slices.Contains(list, meant) {
				list = append(list, meant)
			}
		}
	}
	return list
}

// flagsOf lists the flags of a verb.
func flagsOf(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}
