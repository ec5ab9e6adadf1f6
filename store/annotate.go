package store

import (
	"context"

	"github.com/pandotrace/pando/store/internal/annotate"
	"github.com/pandotrace/pando/trace/annotation"
)

// Annotate writes to a path what the file at another path holds, with some annotations in place of those that it has ([trace.Meta] has them). All else of the file is the
// same, its id and fingerprint too. The paths may be one if opt lets a file be replaced. After an error, there is no new file. progress counts bytes.
func Annotate(ctx context.Context, from, to string, list []annotation.Annotation, opt OutputOptions, progress Progress) error {
	return annotate.File(ctx, from, to, list, opt, progress)
}
