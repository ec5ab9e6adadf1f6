package trace_test

import (
	"strings"
	"testing"

	"github.com/pandotrace/pando/convert"
	"github.com/pandotrace/pando/internal/tracetest"
	"github.com/pandotrace/pando/trace"
)

// definitions returns those of a bundled trace.
func definitions(t *testing.T, path string) *trace.Definitions {
	src, err := convert.Open(t.Context(), path, convert.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	log, err := src.Definitions(0)
	if err != nil {
		t.Fatal(err)
	}
	return trace.NewDefinitions(log)
}

// TestRolesOfNames: the names of MPI's functions tell of them what Score-P does. Where it says no more than function, or nothing, the name
// may tell more.
func TestRolesOfNames(t *testing.T) {
	const mpi, function = 4, 1
	held, seen := 0, map[uint64]bool{}
	for _, trc := range tracetest.Bundled(t) {
		d := definitions(t, tracetest.Anchor(t, trc))
		for _, id := range d.Regions() {
			r, _ := d.Region(id)
			name := d.Strings[r.Name]
			if r.Paradigm != mpi || strings.Contains(trc, "allrecords") {
				continue
			}
			c := trace.ClassifyRegion(&trace.Region{}, name)
			if c.Activity != trace.ActivityMPI || c.Paradigm != mpi || r.Role > function && c.Role != r.Role {
				t.Errorf("%s: %s has role %s in the trace; its name tells %+v", trc, name, trace.EnumRegionRole.Format(r.Role), c)
			}
			if whole := d.RegionClass(id); whole != c {
				t.Errorf("%s: %s is %+v with its definition, %+v by its name", trc, name, whole, c)
			}
			held++
			seen[r.Role] = true
		}
	}
	if held == 0 || len(seen) < 5 {
		t.Fatalf("%d functions of %d roles were held against their names", held, len(seen))
	}
}

// TestRegionClasses tells classes of definitions as several tools write them.
func TestRegionClasses(t *testing.T) {
	const unknown, user, compiler, openmp, mpi, cuda, measurement, pthread, hip, sampling = 0, 1, 2, 3, 4, 5, 6, 7, 23, 21
	for _, c := range []struct {
		name                string
		paradigm, role      uint64
		activity            trace.Activity
		ofParadigm, andRole string
	}{
		{"main", compiler, 1, trace.ActivityComputation, "COMPILER", "FUNCTION"},
		{"MPI_Allreduce", user, 1, trace.ActivityMPI, "MPI", "COLL_ALL2ALL"}, // EZTrace
		{"mpi_wait_", user, 1, trace.ActivityMPI, "MPI", "POINT2POINT"},
		{"fopen", user, 1, trace.ActivityIO, "UNKNOWN", "FILE_IO_METADATA"},
		{"MPI_Send() ", unknown, 0, trace.ActivityMPI, "MPI", "POINT2POINT"}, // TAU
		{"MPI_Ibcast", unknown, 0, trace.ActivityMPI, "MPI", "COLL_ONE2ALL"},
		{"MPI_Allreduce_init_c", unknown, 0, trace.ActivityMPI, "MPI", "COLL_ALL2ALL"},
		{"MPI_Init", mpi, 1, trace.ActivityMPI, "MPI", "FUNCTION"},
		{"MPI_File_write_all", mpi, 27, trace.ActivityIO, "MPI", "FILE_IO"},
		{"MPI_File_write_all", unknown, 0, trace.ActivityIO, "MPI", "FILE_IO"},
		{"MPI_Win_fence", mpi, 1, trace.ActivityMPI, "MPI", "RMA"},
		{"mpi_setup", compiler, 1, trace.ActivityComputation, "COMPILER", "FUNCTION"}, // the program's own
		{"read", compiler, 1, trace.ActivityComputation, "COMPILER", "FUNCTION"},
		{"MPI_", unknown, 0, trace.ActivityComputation, "UNKNOWN", "UNKNOWN"},
		{"!$omp implicit barrier @lu.f:12", unknown, 0, trace.ActivityOpenMP, "OPENMP", "IMPLICIT_BARRIER"}, // OTF
		{"!$omp parallel @lu.f:12", openmp, 5, trace.ActivityOpenMP, "OPENMP", "PARALLEL"},
		{"!$omp for @lu.f:12", unknown, 0, trace.ActivityOpenMP, "OPENMP", "LOOP"},
		{"pthread_join", unknown, 0, trace.ActivityThreads, "PTHREAD", "THREAD_WAIT"},
		{"worker", pthread, 1, trace.ActivityThreads, "PTHREAD", "FUNCTION"},
		{"cudaMemcpyAsync", unknown, 0, trace.ActivityGPU, "CUDA", "DATA_TRANSFER"},
		{"cuda_solver", unknown, 0, trace.ActivityComputation, "UNKNOWN", "UNKNOWN"},
		{"axpy", cuda, 1, trace.ActivityGPU, "CUDA", "FUNCTION"},
		{"hipLaunchKernel", sampling, 1, trace.ActivityGPU, "HIP", "FUNCTION"},
		{"axpy", hip, 1, trace.ActivityGPU, "HIP", "FUNCTION"},
		{"TRACE BUFFER FLUSH", measurement, 31, trace.ActivityMeasurement, "MEASUREMENT_SYSTEM", "ARTIFICIAL"},
		{"x", 1 << 40, 1 << 40, trace.ActivityComputation, "1099511627776", "1099511627776"},
	} {
		got := trace.ClassifyRegion(&trace.Region{Paradigm: c.paradigm, Role: c.role}, c.name)
		paradigm, role := trace.EnumParadigm.Format(got.Paradigm), trace.EnumRegionRole.Format(got.Role)
		if got.Activity != c.activity || paradigm != c.ofParadigm || role != c.andRole {
			t.Errorf("%s of paradigm %d and role %d: %s, %s, %s", c.name, c.paradigm, c.role, got.Activity, paradigm, role)
		}
	}
	for i, a := range trace.Activities() {
		if a != trace.Activity(i) || a.String() == "unknown" {
			t.Errorf("activity %d is %s", i, a)
		}
	}
	if got := trace.NewDefinitions(nil).RegionClass(3); got != (trace.RegionClass{}) {
		t.Errorf("a region that is not defined is %+v", got)
	}
}
