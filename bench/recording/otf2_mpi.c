/* The tracer of a hundred lines that one writes with OTF2: enter and leave, messages and collective operations of the functions that heat.c calls.
   mpicc -shared -fPIC -O2 -o libotf2-mpi.so otf2_mpi.c -lotf2, then LD_PRELOAD; the archive is trace.d/trace.otf2. */
#include <mpi.h>
#include <otf2/OTF2_MPI_Collectives.h>
#include <otf2/otf2.h>
#include <time.h>


enum { barrier, sendrecv, allreduce, reduce, regions };
static const char *const names[regions] = {"MPI_Barrier", "MPI_Sendrecv", "MPI_Allreduce", "MPI_Reduce"};
static OTF2_Archive *archive;
static OTF2_EvtWriter *writer;
static uint64_t began;

static uint64_t now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final) { return OTF2_FLUSH; }
static OTF2_TimeStamp flushed(void *data, OTF2_FileType type, OTF2_LocationRef location) { return now(); }
static OTF2_FlushCallbacks callbacks = {flush, flushed};

static void enter(uint32_t region) { OTF2_EvtWriter_Enter(writer, NULL, now(), region); }
static void leave(uint32_t region) { OTF2_EvtWriter_Leave(writer, NULL, now(), region); }

static uint64_t bytes(int count, MPI_Datatype type) {
	int size;
	PMPI_Type_size(type, &size);
	return (uint64_t)count * (uint64_t)size;
}

int MPI_Init(int *argc, char ***argv) {
	int rank, outcome = PMPI_Init(argc, argv);
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	archive = OTF2_Archive_Open("trace.d", "trace", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL);
	OTF2_MPI_Archive_SetCollectiveCallbacks(archive, MPI_COMM_WORLD, MPI_COMM_NULL);
	OTF2_Archive_OpenEvtFiles(archive);
	writer = OTF2_Archive_GetEvtWriter(archive, (uint64_t)rank);
	began = now();
	return outcome;
}

int MPI_Sendrecv(const void *sent, int n, MPI_Datatype type, int to, int tag, void *got, int m, MPI_Datatype of, int from, int with, MPI_Comm comm, MPI_Status *status) {
	MPI_Status own;
	int count;
	enter(sendrecv);
	if (to != MPI_PROC_NULL) OTF2_EvtWriter_MpiSend(writer, NULL, now(), (uint32_t)to, 0, (uint32_t)tag, bytes(n, type));
	int outcome = PMPI_Sendrecv(sent, n, type, to, tag, got, m, of, from, with, comm, &own);
	PMPI_Get_count(&own, MPI_BYTE, &count);
	if (own.MPI_SOURCE != MPI_PROC_NULL) OTF2_EvtWriter_MpiRecv(writer, NULL, now(), (uint32_t)own.MPI_SOURCE, 0, (uint32_t)own.MPI_TAG, (uint64_t)count);
	if (status != MPI_STATUS_IGNORE) *status = own;
	leave(sendrecv);
	return outcome;
}

#define COLLECTIVE(name, region, operation, parameters, arguments, root, size)                               \
	int MPI_##name parameters {                                                                                \
		enter(region);                                                                                           \
		OTF2_EvtWriter_MpiCollectiveBegin(writer, NULL, now());                                                  \
		int outcome = PMPI_##name arguments;                                                                     \
		OTF2_EvtWriter_MpiCollectiveEnd(writer, NULL, now(), operation, 0, root, size, size);                    \
		leave(region);                                                                                           \
		return outcome;                                                                                          \
	}

COLLECTIVE(Barrier, barrier, OTF2_COLLECTIVE_OP_BARRIER, (MPI_Comm comm), (comm), OTF2_COLLECTIVE_ROOT_NONE, 0)
COLLECTIVE(Allreduce, allreduce, OTF2_COLLECTIVE_OP_ALLREDUCE, (const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm), (a, b, n, type, op, comm),
	OTF2_COLLECTIVE_ROOT_NONE, bytes(n, type))
COLLECTIVE(Reduce, reduce, OTF2_COLLECTIVE_OP_REDUCE, (const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm), (a, b, n, type, op, root, comm),
	(uint32_t)root, bytes(n, type))

int MPI_Finalize(void) {
	int rank, ranks;
	uint64_t first, span = now() - began, longest, members[1024];
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
	OTF2_Archive_CloseEvtWriter(archive, writer);
	OTF2_Archive_CloseEvtFiles(archive);
	OTF2_Archive_OpenDefFiles(archive);
	OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, (uint64_t)rank));
	OTF2_Archive_CloseDefFiles(archive);
	PMPI_Reduce(&began, &first, 1, MPI_UINT64_T, MPI_MIN, 0, MPI_COMM_WORLD);
	PMPI_Reduce(&span, &longest, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		OTF2_GlobalDefWriter *d = OTF2_Archive_GetGlobalDefWriter(archive);
		OTF2_GlobalDefWriter_WriteClockProperties(d, 1000000000, first, longest, OTF2_UNDEFINED_TIMESTAMP);
		OTF2_GlobalDefWriter_WriteString(d, 0, "");
		for (uint32_t i = 0; i < regions; i++) {
			OTF2_GlobalDefWriter_WriteString(d, i + 1, names[i]);
			OTF2_GlobalDefWriter_WriteRegion(d, i, i + 1, i + 1, 0, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI, 0, 0, 0, 0);
		}
		OTF2_GlobalDefWriter_WriteSystemTreeNode(d, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
		for (int i = 0; i < ranks && i < 1024; i++) {
			members[i] = (uint64_t)i;
			OTF2_GlobalDefWriter_WriteLocationGroup(d, (uint32_t)i, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP);
			OTF2_GlobalDefWriter_WriteLocation(d, (uint64_t)i, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 0, (uint32_t)i);
		}
		OTF2_GlobalDefWriter_WriteGroup(d, 0, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, (uint32_t)ranks, members);
		OTF2_GlobalDefWriter_WriteGroup(d, 1, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, (uint32_t)ranks, members);
		OTF2_GlobalDefWriter_WriteComm(d, 0, 0, 1, OTF2_UNDEFINED_COMM, 0);
	}
	OTF2_Archive_Close(archive);
	return PMPI_Finalize();
}
