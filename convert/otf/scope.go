package otf

import (
	"slices"

	"github.com/pandotrace/pando/trace"
)

// scope is what the numbers of a file mean: those of definitions of the whole trace, and of the stream it belongs to.
type scope struct {
	// ids are the ids of the model, by space, of definitions whose own are taken.
	ids [trace.SpaceMarker + 1]idMap
	// counters are the types of the values of counters, others those of counters that only other streams define.
	counters, others *lookup

	operations    map[uint32]operation
	communicators map[uint32]*communicator
	// all is the communicator of all processes.
	all *communicator
	// masters are the processes that others are threads of.
	masters *lookup
}

// idMap translates ids; those that it lacks stay what they are.
type idMap map[uint32]uint32

func (m idMap) of(id uint64) uint64 {
	if m != nil {
		if other, ok := m[uint32(id)]; ok {
			return uint64(other)
		}
	}
	return id
}

// operation is a collective operation in the model.
type operation struct {
	code uint8
	// exact says that the code tells which one it is in the file.
	exact bool
}

// noOperation is a code that no operation has.
const noOperation = 255

// counterType returns the type of the values of a counter.
func (s *scope) counterType(counter uint64) uint64 {
	for _, l := range []*lookup{s.counters, s.others} {
		if typ, ok := l.find(uint32(counter)); ok {
			return uint64(typ)
		}
	}
	return uint64(trace.ValueUint64)
}

func (s *scope) operation(op uint64) operation {
	if o, ok := s.operations[uint32(op)]; ok {
		return o
	}
	return operation{code: noOperation}
}

// master returns the process that another one is a thread of, itself if it is none.
func (s *scope) master(process uint64) uint32 {
	if m, ok := s.masters.find(uint32(process)); ok {
		return m
	}
	return uint32(process)
}

// mappings returns the tables of ids as records of local definitions.
func (s *scope) mappings() (tables [][]uint64) {
	const sparse = 1
	for space, ids := range s.ids {
		if len(ids) == 0 {
			continue
		}
		words := []uint64{uint64(space) - 1, sparse, uint64(len(ids))}
		var locals []uint32
		for local := range ids {
			locals = append(locals, local)
		}
		slices.Sort(locals)
		for _, local := range locals {
			words = append(words, uint64(local), uint64(ids[local]))
		}
		tables = append(tables, words)
	}
	return tables
}

// special are the ids of the attributes that hold what a record of the model has no field for.
type special struct {
	source, communicator, process, matchingID, collective uint64
}
