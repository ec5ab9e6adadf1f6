package trace

import "strings"

// activityClasses are the classes of regions by activity.
var activityClasses = map[Activity]string{
	ActivityComputation: "computation", ActivityMPI: "mpi", ActivityPGAS: "pgas", ActivityOpenMP: "openmp", ActivityThreads: "threads", ActivityIO: "io",
	ActivityGPU: "gpu", ActivityMeasurement: "measurement",
}

// roleClasses are classes of several roles.
var roleClasses = []struct {
	name  string
	roles []uint64
}{
	{"collective", []uint64{roleOneToAll, roleAllToOne, roleAllToAll, roleCollective}},
	{"barrier", []uint64{roleBarrier, roleImplicitBarrier}},
	{"io", []uint64{roleFileIO, roleFileMetadata}},
	{"memory", []uint64{roleAllocate, roleDeallocate, roleReallocate}},
	{"sync", []uint64{
		roleCritical, roleCriticalBlock, roleAtomic, roleBarrier, roleImplicitBarrier, roleFlush, roleOrdered, roleOrderedBlock, roleTaskWait, roleThreadWait,
	}},
}

// classes returns the classes of regions of a class: the paradigm and the activity are families.
func (c RegionClass) classes() *classes {
	all := &classes{
		families: []string{className(EnumParadigm.Format(c.Paradigm))},
		roles:    []string{className(EnumRegionRole.Format(c.Role))},
	}
	all.families = insert(all.families, activityClasses[c.Activity])
	for i := range roleClasses {
		for _, role := range roleClasses[i].roles {
			if role == c.Role {
				all.roles = insert(all.roles, roleClasses[i].name)
			}
		}
	}
	if a := activityOf[c.Paradigm]; c.Role == roleBarrier && (a == ActivityMPI || a == ActivityPGAS) {
		all.roles = insert(all.roles, "collective") // OpenMP's are not called so
	}
	return all
}

// knownRegions returns all classes of regions.
func knownRegions() *classes {
	all := &classes{}
	for paradigm := range EnumParadigm.names {
		all.add(RegionClass{Paradigm: paradigm, Activity: activityOf[paradigm]}.classes())
	}
	for role := range EnumRegionRole.names {
		all.add(RegionClass{Paradigm: paradigmMPI, Role: role, Activity: ActivityMPI}.classes())
	}
	all.add(&classes{families: []string{activityClasses[ActivityIO]}})
	return all
}

// add adds classes.
func (c *classes) add(more *classes) {
	for _, family := range more.families {
		c.families = insert(c.families, family)
	}
	for _, role := range more.roles {
		c.roles = insert(c.roles, role)
	}
}

// Classes of locations: of CPU threads, accelerator streams, and locations of metrics.
var locationClasses = [...]classes{
	{families: []string{"unknown"}}, {families: []string{"cpu"}}, {families: []string{"gpu"}}, {families: []string{"metric"}},
}

// locationClass returns the class of a location: that of its type, or of its process's where it has none.
func (d *Definitions) locationClass(id uint64) *classes {
	kind := uint64(0)
	if i, ok := d.LocationIndex(id); ok {
		kind = d.Locations[i].Type
	}
	if kind == 0 {
		process, _ := d.Process(id)
		kind = d.Groups[process].Type // 1 is a process, 2 an accelerator
	}
	if kind >= uint64(len(locationClasses)) {
		kind = 0
	}
	return &locationClasses[kind]
}

// knownLocations returns all classes of locations.
func knownLocations() *classes {
	all := &classes{}
	for i := range locationClasses {
		all.add(&locationClasses[i])
	}
	return all
}

// kindClasses are the classes of kinds: names of kinds, and begins of names that end with *.
var kindClasses = []struct{ name, kinds string }{
	{"call", "Enter Leave CallingContextEnter CallingContextLeave"},
	{"collective", "MpiCollectiveBegin MpiCollectiveEnd NonBlockingCollective* RmaCollectiveBegin RmaCollectiveEnd Collective*"},
	{"io", "Io* FileOperation*"},
	{"measurement", "BufferFlush MeasurementOnOff"},
	{"message", "MpiSend MpiIsend* MpiRecv MpiIrecv* MpiRequest* MpeMessage"},
	{"metric", "Metric"},
	{"mpi", "Mpi* NonBlockingCollective* CommCreate CommDestroy Collective*"},
	{"openmp", "Omp*"},
	{"parameter", "Parameter*"},
	{"program", "ProgramBegin ProgramEnd ProcessBegin ProcessEnd"},
	{"rma", "Rma* ProcessRma*"},
	{"sample", "CallingContextSample"},
	{"span", "Span* Interval* Arrow*"},
	{"threads", "Thread*"},
}

// kindClass returns the classes of a kind of some name.
func kindClass(name string) *classes {
	all := &classes{}
	for _, c := range kindClasses {
		for _, kind := range strings.Fields(c.kinds) {
			if begin, open := strings.CutSuffix(kind, "*"); kind == name || open && strings.HasPrefix(name, begin) {
				all.families = insert(all.families, c.name)
			}
		}
	}
	return all
}

// knownKinds returns all classes of kinds.
func knownKinds() *classes {
	all := &classes{}
	for _, c := range kindClasses {
		all.families = append(all.families, c.name)
	}
	return all
}
