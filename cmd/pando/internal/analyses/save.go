package analyses

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/pandotrace/pando/cmd/pando/internal/outputs"
	"github.com/pandotrace/pando/cmd/pando/internal/progress"
	"github.com/pandotrace/pando/cmd/pando/internal/verb"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
	"github.com/pandotrace/pando/trace/annotation"
)

// saving are the flags that keep what is found as an annotation of the file.
type saving struct{ name, text string }

// add adds the flags.
func (s *saving) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.name, "save", "", "keep the pattern in FILE as an annotation of this `NAME`; --force replaces one")
	cmd.Flags().StringVar(&s.text, "text", "", "with --save: what is said of it (`TEXT`)")
	verb.CompleteFixed(cmd, "save", nil)
	verb.CompleteFixed(cmd, "text", nil)
}

// check finds fault with the flags.
func (s *saving) check(path string) error {
	switch {
	case s.name == "" && s.text != "":
		return verb.Usagef("--text belongs to --save NAME")
	case s.name == "":
		return nil
	case path == outputs.Standard || remote.IsURL(path):
		return verb.Usagef("--save writes into FILE, which must be a file of this machine")
	case !utf8.ValidString(s.name) || !utf8.ValidString(s.text):
		return verb.Usagef("--save and --text are in UTF-8")
	case max(len(s.name), len(s.text)) > annotation.MostBytes:
		return verb.Usagef("--save and --text have %d bytes at most", annotation.MostBytes)
	}
	return nil
}

// save adds an annotation to a file: the file is written anew, and renamed when it is complete.
func (s *saving) save(ctx context.Context, f *report.Trace, a annotation.Annotation, r verb.Replacing) error {
	if f.Unfinished() {
		return verb.Usagef("--save: %s has no end yet", f.Path)
	}
	list := f.Meta().Annotations
	if annotation.Find(list, a.Name) != nil && !r.Force {
		return fmt.Errorf("%s: annotation %q: %w; --force replaces it", f.Path, a.Name, fs.ErrExist)
	}
	bar := progress.New("writing", "bytes", f.Info().FileBytes)
	defer bar.Done()
	err := store.Annotate(ctx, f.Path, f.Path, annotation.With(list, a), store.OutputOptions{Discard: r.Discard}, bar.Report)
	var busy *store.BusyError
	if errors.As(err, &busy) {
		return fmt.Errorf("--save: %w", err)
	}
	return err
}
