package trace

import "strings"

// Activity is what a location does in a region, by and large. Each region has exactly one, so that the times of all activities add up to
// the time of the location.
type Activity uint8

// The activities. Times outside of all calls are idle; no region is.
const (
	ActivityComputation Activity = iota
	ActivityMPI
	ActivityPGAS // one-sided communication of other libraries: SHMEM, GASPI, UPC
	ActivityOpenMP
	ActivityThreads // threads and tasks besides OpenMP's
	ActivityIO
	ActivityGPU
	ActivityMeasurement // work of the tool that recorded the trace
	ActivityIdle
)

var activities = [...]string{"computation", "MPI", "PGAS", "OpenMP", "threads", "I/O", "GPU", "measurement", "idle"}

// Activities returns all activities, in the order in which tables list them.
func Activities() []Activity {
	list := make([]Activity, len(activities))
	for i := range list {
		list[i] = Activity(i)
	}
	return list
}

// String returns the name of the activity.
func (a Activity) String() string {
	if int(a) < len(activities) {
		return activities[a]
	}
	return "unknown"
}

// RegionClass says what a region is for: the programming model that it belongs to, and its part in that.
type RegionClass struct {
	Activity Activity
	Paradigm uint64 // a value of EnumParadigm
	Role     uint64 // a value of EnumRegionRole
}

// Values of EnumParadigm.
const (
	paradigmUnknown     = 0
	paradigmUser        = 1
	paradigmCompiler    = 2
	paradigmOpenMP      = 3
	paradigmMPI         = 4
	paradigmCUDA        = 5
	paradigmMeasurement = 6
	paradigmPthread     = 7
	paradigmHMPP        = 8
	paradigmOmpSs       = 9
	paradigmGASPI       = 11
	paradigmUPC         = 12
	paradigmSHMEM       = 13
	paradigmWinthread   = 14
	paradigmQtThread    = 15
	paradigmACEThread   = 16
	paradigmTBBThread   = 17
	paradigmOpenACC     = 18
	paradigmOpenCL      = 19
	paradigmMTAPI       = 20
	paradigmSampling    = 21
	paradigmNone        = 22
	paradigmHIP         = 23
)

// Values of EnumRegionRole.
const (
	roleUnknown         = 0
	roleFunction        = 1
	roleWrapper         = 2
	roleLoop            = 3
	roleCode            = 4
	roleParallel        = 5
	roleSections        = 6
	roleSection         = 7
	roleWorkshare       = 8
	roleSingle          = 9
	roleMaster          = 11
	roleCritical        = 12
	roleAtomic          = 14
	roleBarrier         = 15
	roleImplicitBarrier = 16
	roleFlush           = 17
	roleOrdered         = 18
	roleTask            = 20
	roleTaskCreate      = 21
	roleTaskWait        = 22
	roleOneToAll        = 23
	roleAllToOne        = 24
	roleAllToAll        = 25
	roleCollective      = 26
	roleFileIO          = 27
	rolePointToPoint    = 28
	roleRMA             = 29
	roleTransfer        = 30
	roleThreadCreate    = 32
	roleThreadWait      = 33
	roleAllocate        = 35
	roleDeallocate      = 36
	roleReallocate      = 37
	roleFileMetadata    = 38
)

// activityOf has the paradigms that are no computation.
var activityOf = map[uint64]Activity{
	paradigmOpenMP: ActivityOpenMP, paradigmMPI: ActivityMPI, paradigmMeasurement: ActivityMeasurement,
	paradigmCUDA: ActivityGPU, paradigmHMPP: ActivityGPU, paradigmOpenACC: ActivityGPU, paradigmOpenCL: ActivityGPU, paradigmHIP: ActivityGPU,
	paradigmPthread: ActivityThreads, paradigmOmpSs: ActivityThreads, paradigmWinthread: ActivityThreads, paradigmQtThread: ActivityThreads,
	paradigmACEThread: ActivityThreads, paradigmTBBThread: ActivityThreads, paradigmMTAPI: ActivityThreads,
	paradigmGASPI: ActivityPGAS, paradigmUPC: ActivityPGAS, paradigmSHMEM: ActivityPGAS,
}

// RegionClass returns the class of a region; one that is not defined is computation.
func (d *Definitions) RegionClass(id uint64) RegionClass {
	r, _ := d.Region(id)
	return ClassifyRegion(&r, d.Strings[r.Name])
}

// ClassifyRegion returns the class of a region of some name: what its definition says, and where that says nothing, what is known of the
// name. Formats without paradigms and roles (OTF, trace events) have names alone, and some tools call everything a function of the user.
//
// An operation on files is I/O whatever its paradigm, so an MPI_File_write has the paradigm MPI and the activity I/O.
func ClassifyRegion(r *Region, name string) RegionClass {
	c := RegionClass{Paradigm: r.Paradigm, Role: r.Role}
	if k, ok := classOfName(name); ok && c.yields(&k, name) {
		c.Paradigm = k.Paradigm
		if c.Role <= roleWrapper || c.Role == roleCode {
			c.Role = k.Role
		}
	}
	if c.Activity = activityOf[c.Paradigm]; c.Role == roleFileIO || c.Role == roleFileMetadata {
		c.Activity = ActivityIO
	}
	return c
}

// yields reports whether a class that a definition gives yields to the one that the name tells: where it says less, and does not
// contradict. A compiler knows functions of the program alone, unless they bear a name that MPI reserves.
func (c *RegionClass) yields(k *RegionClass, name string) bool {
	switch c.Paradigm {
	case paradigmUnknown, paradigmUser, paradigmSampling, paradigmNone:
		return true
	case paradigmCompiler:
		return strings.HasPrefix(name, "MPI_") || strings.HasPrefix(name, "PMPI_")
	}
	return c.Paradigm == k.Paradigm
}

// Synchronises reports whether a location that is in a region waits for others, or may: at barriers and collective operations, for messages
// and one-sided communication, for tasks, threads and locks. It goes by paradigm and role alone. Sending a message and receiving one have the
// same role, and so have operations that block and others that do not: all of them count.
//
// Waiting for files is not synchronisation, and neither is waiting for an accelerator, which works for the location that waits.
func (c RegionClass) Synchronises() bool {
	switch c.Role {
	case roleBarrier, roleImplicitBarrier, roleTaskWait, roleThreadWait, roleCritical, roleOrdered,
		roleOneToAll, roleAllToOne, roleAllToAll, roleCollective, rolePointToPoint, roleRMA:
		return true
	}
	return c.Activity == ActivityPGAS
}

// WorksInside reports whether a location that is in a region works even where a call that synchronises is around it: barriers carry out
// tasks, and the blocks that locks protect stand inside of the regions that wait for the locks.
func (c RegionClass) WorksInside() bool {
	switch c.Role {
	case roleTask, roleUntiedTask, roleSingleBlock, roleCriticalBlock, roleOrderedBlock:
		return true
	}
	return false
}
