package layout

import (
	"github.com/pandotrace/pando/internal/claim"
)

// OutputOptions say what becomes of files that are there already when a file NAME is to be written, as NAME.part until it is complete. One
// writer can have NAME.part at a time: others, in this process or another, get a [BusyError]. One whose writer is gone, which [OpenRecovery]
// reads, stays until a writer is asked to discard it: without that, it is a [LeftoverError].
type OutputOptions = claim.Options

// BusyError says that somebody else is writing an output.
type BusyError = claim.BusyError

// LeftoverError says that a writer that is gone has left an unfinished output.
type LeftoverError = claim.LeftoverError
