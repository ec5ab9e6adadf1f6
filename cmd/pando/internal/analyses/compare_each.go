package analyses

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pandotrace/pando/analysis/contrast"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report/comparison"
)

// checkEach checks the flags of a comparison of A with each of several runs.
func (v *compareVerb) checkEach() error {
	if v.ranks != "" || v.similarity || v.first || v.Tables != nil || v.Chosen.Name != verb.TextFormat.Name && v.Chosen.Name != verb.JSONFormat.Name {
		return verb.Usagef("more than two runs are compared as text or JSON, without --ranks, --similarity and --first")
	}
	return nil
}

// tellEach compares A, and the base runs, with each of several others, and holds each against the limits.
func (v *compareVerb) tellEach(ctx context.Context, out io.Writer, sides []contrast.Side) error {
	bases, others := sides[:1+len(v.bases)], sides[1+len(v.bases):]
	var failed []error
	err := v.Print(out, func(_ context.Context, w *bufio.Writer) error {
		var each comparison.Each
		for _, b := range others {
			all, err := v.compare(ctx, append(slices.Clone(bases), b))
			if err != nil {
				return err
			}
			r := comparison.NewSeveral(all)
			r.Limit(v.limit)
			if err := each.Add(w, r, v.Format); err != nil {
				return err
			}
			beyond, unsure := comparison.Judge(v.checks, all, v.strict)
			for _, text := range unsure {
				fmt.Fprintf(v.notes, "pando: %s: %s\n", verb.OneLine(errors.New(b.Name)), verb.OneLine(text))
			}
			for _, text := range beyond {
				failed = append(failed, fmt.Errorf("%s: %w", b.Name, text))
			}
		}
		return each.End(w, v.Format)
	})
	return errors.Join(append([]error{err}, failed...)...)
}
