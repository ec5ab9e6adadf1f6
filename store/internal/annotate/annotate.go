package annotate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pandotrace/pando/encode/records"
	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/index"
	"github.com/pandotrace/pando/internal/claim"
	"github.com/pandotrace/pando/store/internal/blockio"
	"github.com/pandotrace/pando/store/internal/layout"
	"github.com/pandotrace/pando/store/internal/read"
	"github.com/pandotrace/pando/trace"
	"github.com/pandotrace/pando/trace/annotation"
)

// File writes to a path what a file at another path holds, with these annotations in place of those that it has. The two may be one path. What is written is complete, or
// is not there. progress counts bytes.
func File(ctx context.Context, from, to string, list []annotation.Annotation, opt claim.Options, progress trace.Progress) error {
	if err := annotation.Check(list); err != nil {
		return layout.Invalidf("store: %w", err)
	}
	src, size, err := read.OpenRegular(from)
	if err != nil {
		return err
	}
	defer src.Close()
	f, err := read.NewReader(ctx, src, size, layout.ReadOptions{Name: from})
	if err != nil {
		return err
	}
	defer f.Close()
	out, err := claim.Create(to, opt)
	if err != nil {
		return err
	}
	err = rewrite(ctx, f, src, size, out, list, progress)
	if err == nil {
		err = out.Commit()
	}
	if err != nil {
		return errors.Join(err, out.Discard())
	}
	return nil
}

// rewrite writes the blocks of a file that stay, the annotations, and the end of the file.
func rewrite(ctx context.Context, f *read.File, src io.ReaderAt, size int64, out io.Writer, list []annotation.Annotation, progress trace.Progress) error {
	b := make([]byte, format.FooterSize)
	if _, err := src.ReadAt(b, size-format.FooterSize); err != nil {
		return err
	}
	footer, err := format.ParseFooter(b, size)
	if err != nil {
		return err
	}
	keep, blocks := footer.Root.Offset, footer.Blocks-1 // all but the root
	root := *f.Root()
	root.Entries = slices.DeleteFunc(slices.Clone(root.Entries), func(e index.Entry) bool {
		if e.Kind != format.BlockAnnotations {
			return false
		}
		if e.Ref.Offset+uint64(e.Ref.Length) == keep {
			keep, blocks = e.Ref.Offset, blocks-1
		}
		return true
	})
	if err := copyBytes(ctx, out, io.NewSectionReader(src, 0, int64(keep)), progress); err != nil {
		return err
	}
	file := blockio.Continue(out, footer.ID, keep, blocks)
	if footer.Optional, err = withoutAnnotations(src, footer.Optional); err != nil {
		return err
	}
	if len(list) > 0 {
		ref, err := file.Compressed(format.BlockAnnotations, records.AppendAnnotations(nil, list))
		if err != nil {
			return err
		}
		root.Entries = append(root.Entries, index.Entry{Kind: format.BlockAnnotations, Ref: ref})
		footer.Optional |= format.OptionalAnnotations
	}
	return file.Finish(&root, footer.Optional)
}

// withoutAnnotations returns optional features without that of annotations, unless the header says that the file has some: it stays, and a footer has its features.
func withoutAnnotations(src io.ReaderAt, optional uint64) (uint64, error) {
	b := make([]byte, format.HeaderSize)
	if _, err := src.ReadAt(b, 0); err != nil {
		return 0, err
	}
	h, err := format.ParseHeader(b)
	if err != nil {
		return 0, err
	}
	return optional&^format.OptionalAnnotations | h.Optional&format.OptionalAnnotations, nil
}

// copyBytes copies a part of a file.
func copyBytes(ctx context.Context, to io.Writer, from *io.SectionReader, progress trace.Progress) error {
	const step = 1 << 20
	for done := int64(0); done < from.Size(); done += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(step, from.Size()-done)
		if _, err := io.CopyN(to, from, n); err != nil {
			return fmt.Errorf("copying %d bytes at %d: %w", n, done, err)
		}
		progress.Report(done+n, from.Size())
	}
	return nil
}
