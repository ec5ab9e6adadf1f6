package trace

import "strings"

// namePrefixes tell paradigms by how the names of their functions begin. With word, a capital letter follows.
var namePrefixes = []struct {
	prefix   string
	word     bool
	paradigm uint64
	role     func(rest string) uint64 // of the rest of the name in small letters; nil for functions
}{
	{"MPI_", false, paradigmMPI, mpiRole}, {"PMPI_", false, paradigmMPI, mpiRole},
	{"mpi_", false, paradigmMPI, mpiRole}, {"pmpi_", false, paradigmMPI, mpiRole},
	{"!$omp ", false, paradigmOpenMP, openMPRole}, {"omp_", false, paradigmOpenMP, openMPRole}, {"OMP_", false, paradigmOpenMP, openMPRole},
	{"GOMP_", false, paradigmOpenMP, openMPRole}, {"__kmpc_", false, paradigmOpenMP, openMPRole},
	{"!$acc", false, paradigmOpenACC, nil}, {"acc_", false, paradigmOpenACC, nil},
	{"pthread_", false, paradigmPthread, pthreadRole},
	{"shmem_", false, paradigmSHMEM, nil}, {"gaspi_", false, paradigmGASPI, nil}, {"upc_", false, paradigmUPC, nil},
	{"cuda", true, paradigmCUDA, gpuRole}, {"cu", true, paradigmCUDA, gpuRole}, {"hip", true, paradigmHIP, gpuRole},
	{"clEnqueue", true, paradigmOpenCL, gpuRole}, {"clFinish", false, paradigmOpenCL, nil}, {"clWaitForEvents", false, paradigmOpenCL, nil},
	{"H5", true, paradigmUnknown, fileRole}, {"nc_", false, paradigmUnknown, fileRole}, {"ncmpi_", false, paradigmUnknown, fileRole},
}

func fileRole(string) uint64 { return roleFileIO }

// classOfName returns the class that the name of a region tells, without an activity.
func classOfName(name string) (c RegionClass, ok bool) {
	for i := range namePrefixes {
		p := &namePrefixes[i]
		rest, ok := strings.CutPrefix(name, p.prefix)
		if !ok || rest == "" || p.word && (rest[0] < 'A' || rest[0] > 'Z') {
			continue
		}
		c = RegionClass{Paradigm: p.paradigm, Role: roleFunction}
		if p.role != nil {
			c.Role = p.role(strings.ToLower(rest))
		}
		return c, true
	}
	role, ok := fileFunctions[strings.TrimSuffix(name, "64")]
	return RegionClass{Role: role}, ok
}

// fileFunctions are those of C and POSIX that work on files.
var fileFunctions = rolesOf([]roleNames{
	{roleFileIO, "read write pread pwrite readv writev preadv pwritev fread fwrite fgets fputs fgetc fputc getc putc fscanf fprintf vfprintf fsync fdatasync fflush sendfile"},
	{roleFileMetadata, "open openat creat close lseek dup dup2 fopen fdopen freopen fclose fseek fseeko ftell rewind truncate ftruncate unlink rename mkdir rmdir opendir readdir closedir fcntl flock"},
})

// mpiOperations are the operations of MPI that are more than functions. Those that do not block have an i before their name; of those
// in two parts, and of persistent ones, the names go on behind.
var mpiOperations = rolesOf([]roleNames{
	{roleBarrier, "barrier"},
	{roleOneToAll, "bcast scatter scatterv"},
	{roleAllToOne, "reduce gather gatherv"},
	{roleAllToAll, "allreduce allgather allgatherv alltoall alltoallv alltoallw reduce_scatter reduce_scatter_block"},
	{roleCollective, "scan exscan neighbor_allgather neighbor_allgatherv neighbor_alltoall neighbor_alltoallv neighbor_alltoallw"},
	{rolePointToPoint, "send bsend ssend rsend recv mrecv sendrecv sendrecv_replace probe mprobe wait waitall waitany waitsome " +
		"test testall testany testsome start startall psend precv pready pready_range pready_list parrived"},
	{roleRMA, "put get accumulate get_accumulate rput rget raccumulate rget_accumulate fetch_and_op compare_and_swap"},
})

// mpiRole returns the role of an MPI function, of which rest is the name behind the prefix. Fortran's have an underscore at the end, those
// of large counts _c.
func mpiRole(rest string) uint64 {
	rest = strings.TrimRight(rest, "_() ")
	rest = strings.TrimSuffix(strings.TrimSuffix(rest, "_c"), "_init")
	for _, name := range []string{rest, strings.TrimPrefix(rest, "i")} {
		if role, ok := mpiOperations[name]; ok {
			return role
		}
	}
	switch {
	case strings.HasPrefix(rest, "file_"):
		return roleFileIO
	case strings.HasPrefix(rest, "win_"):
		return roleRMA
	}
	return roleFunction
}

// openMPConstructs are the first words of constructs: the longer ones of equal begins first.
var openMPConstructs = []struct {
	begin string
	role  uint64
}{
	{"parallel for", roleLoop}, {"parallel do", roleLoop}, {"parallel", roleParallel}, {"for", roleLoop}, {"do", roleLoop}, {"loop", roleLoop},
	{"implicit barrier", roleImplicitBarrier}, {"implicit_barrier", roleImplicitBarrier}, {"ibarrier", roleImplicitBarrier}, {"barrier", roleBarrier},
	{"sections", roleSections}, {"section", roleSection}, {"workshare", roleWorkshare}, {"single", roleSingle},
	{"master", roleMaster}, {"masked", roleMaster}, {"critical", roleCritical}, {"atomic", roleAtomic}, {"flush", roleFlush}, {"ordered", roleOrdered},
	{"taskwait", roleTaskWait}, {"task_wait", roleTaskWait}, {"create task", roleTaskCreate}, {"task_create", roleTaskCreate}, {"task", roleTask},
}

func openMPRole(rest string) uint64 {
	for _, c := range openMPConstructs {
		if strings.HasPrefix(rest, c.begin) {
			return c.role
		}
	}
	return roleFunction
}

func pthreadRole(rest string) uint64 {
	switch rest {
	case "create":
		return roleThreadCreate
	case "join":
		return roleThreadWait
	case "barrier_wait":
		return roleBarrier
	}
	return roleFunction
}

func gpuRole(rest string) uint64 {
	switch {
	case strings.HasPrefix(rest, "memcpy"), strings.HasPrefix(rest, "memset"), strings.HasPrefix(rest, "readbuffer"),
		strings.HasPrefix(rest, "writebuffer"), strings.HasPrefix(rest, "copybuffer"):
		return roleTransfer
	case strings.HasPrefix(rest, "malloc"), strings.HasPrefix(rest, "memalloc"), strings.HasPrefix(rest, "hostalloc"):
		return roleAllocate
	case strings.HasPrefix(rest, "free"), strings.HasPrefix(rest, "memfree"):
		return roleDeallocate
	}
	return roleFunction
}

// rolesOf returns the roles of names.
func rolesOf(lists []roleNames) map[string]uint64 {
	m := map[string]uint64{}
	for _, l := range lists {
		for _, name := range strings.Fields(l.names) {
			m[name] = l.role
		}
	}
	return m
}

// roleNames are names of one role, with spaces between them.
type roleNames struct {
	role  uint64
	names string
}
