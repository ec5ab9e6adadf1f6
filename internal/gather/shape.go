package gather

import "github.com/pandotrace/pando/trace"

// Shape says who waits for whom in an operation.
type Shape uint8

const (
	AllWait    Shape = iota + 1 // each rank waits for all others
	FromRoot                    // each waits for the root
	ToRoot                      // the root waits for all
	AllInOrder                  // each waits for those before it
)

// shapes are those of operations, by the numbers of trace.EnumCollectiveOp. Others are not known to make ranks wait.
var shapes = map[string]Shape{
	"BARRIER": AllWait, "ALLGATHER": AllWait, "ALLGATHERV": AllWait, "ALLTOALL": AllWait, "ALLTOALLV": AllWait, "ALLTOALLW": AllWait, "ALLREDUCE": AllWait,
	"REDUCE_SCATTER": AllWait, "REDUCE_SCATTER_BLOCK": AllWait, "BCAST": FromRoot, "SCATTER": FromRoot, "SCATTERV": FromRoot, "GATHER": ToRoot, "GATHERV": ToRoot,
	"REDUCE": ToRoot, "SCAN": AllInOrder, "EXSCAN": AllInOrder,
}

// mostOperations is more than the greatest number of an operation with a shape.
const mostOperations = 32

var shapeOf = func() (list [mostOperations]Shape) {
	for i := range list {
		list[i] = shapes[trace.EnumCollectiveOp.Format(uint64(i))]
	}
	return list
}()

// ShapeOf returns the shape of an operation, 0 if none is known.
func ShapeOf(operation uint64) Shape {
	if operation >= mostOperations {
		return 0
	}
	return shapeOf[operation]
}

// WaitsForAll reports whether each rank waits for all others.
func WaitsForAll(operation uint64) bool { return ShapeOf(operation) == AllWait }

// Rooted reports whether the operation needs a root.
func Rooted(operation uint64) bool {
	s := ShapeOf(operation)
	return s == FromRoot || s == ToRoot
}
