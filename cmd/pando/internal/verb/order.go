package verb

import (
	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/trace/topology"
)

// Order is the flag that says in which order locations follow each other.
type Order struct {
	How string
	// Places are those of the locations on the topology that was chosen; nil for the order of definition.
	Places *topology.Places
}

// Add adds the flag.
func (o *Order) Add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.How, "order", "", "`HOW` locations follow each other: topology or topology=NAME, by their coordinates (default: as they are defined)")
	CompleteFixed(cmd, "order", []string{"topology"})
}

// Choose finds the topology that was asked for.
func (o *Order) Choose(f *report.Trace) error {
	if o.How == "" {
		return nil
	}
	defs, err := f.Reader.Definitions()
	if err != nil {
		return err
	}
	if o.Places, err = topology.Ordered(defs, o.How); err != nil {
		return Usagef("--order %s: %w", o.How, err)
	}
	return nil
}
