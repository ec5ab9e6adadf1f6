package cluster

import (
	"context"
	"fmt"

	"github.com/pandotrace/pando/analysis/memory"
)

// MemoryError says that the locations take more memory than they may.
type MemoryError struct {
	By    By
	Bytes int64
}

// Error implements error.
func (e *MemoryError) Error() string {
	text := fmt.Sprintf("clusters by %s take more than %d MiB of memory", e.By, e.Bytes>>20)
	if e.By > Pairs {
		text += "; those by pairs take less"
	}
	return text
}

// Is reports whether the target is [memory.ErrExceeded].
func (e *MemoryError) Is(target error) bool { return target == memory.ErrExceeded }

// DepthError says that calls are nested so deeply that their paths are not compared.
type DepthError struct{ Levels int }

// Error implements error.
func (e *DepthError) Error() string {
	return fmt.Sprintf("calls are nested more than %d levels deep: too deep to compare their contexts; clusters by pairs and by tree have no such limit", e.Levels)
}

// budget is what clustering may take. It ends with the context.
type budget struct {
	ctx    context.Context
	know   *knowledge
	memory int64 // in all
	used   int64 // by places and by what is known of shapes
	steps  int
}

// checkedSteps is after how many steps a budget is looked at.
const checkedSteps = 1 << 10

// step counts a step at a place, and reports an error where the budget is used up.
func (b *budget) step(p *place) error {
	if b.steps++; b.steps%checkedSteps != 0 {
		return nil
	}
	return b.check(p.memory())
}

// check reports an error if there is no room for some more bytes.
func (b *budget) check(more int64) error {
	if b.know.memory()+b.used+more > b.memory {
		return &MemoryError{b.know.by, b.memory}
	}
	if b.know.contexts.deep {
		return &DepthError{deepest}
	}
	return b.ctx.Err()
}
