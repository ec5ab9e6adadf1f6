package main

import (
	"cmp"
	"fmt"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/convert"
)

// addStamp adds the flag that asks for what is not the same each time.
func addStamp(cmd *cobra.Command, stamp *bool) {
	cmd.Flags().BoolVar(stamp, "stamp", false, "note in the file who makes it, where and when")
}

// telling are the flags that have an effect on what a file holds.
var telling = []string{"lenient", "from", "to", "until", "location", "region", "drop-metrics", "align", "slice-events", "lane-locations", "fanout", "epoch-slices"}

// converter tells who converts, for the file's history: the program, the flags of the verb, and a stamp if that is wanted.
func converter(cmd *cobra.Command, stamp bool) convert.By {
	options := []string{cmd.Name()}
	for _, name := range telling {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			options = append(options, "--"+name+"="+f.Value.String())
		}
	}
	by := convert.By{Program: "pando " + version(), Options: strings.Join(options, " ")}
	if stamp {
		name := "somebody"
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
		host, _ := os.Hostname()
		by.Note = fmt.Sprintf("by %s on %s, %s", name, cmp.Or(host, "a nameless machine"), time.Now().UTC().Format(time.RFC3339))
	}
	return by
}
