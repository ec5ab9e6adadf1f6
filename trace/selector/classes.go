package selector

import (
	"slices"
	"strings"

	"github.com/pandotrace/pando/trace"
)

// activityClasses are the classes of regions by activity.
var activityClasses = map[trace.Activity]string{
	trace.ActivityComputation: "computation", trace.ActivityMPI: "mpi", trace.ActivityPGAS: "pgas", trace.ActivityOpenMP: "openmp",
	trace.ActivityThreads: "threads", trace.ActivityIO: "io", trace.ActivityGPU: "gpu", trace.ActivityMeasurement: "measurement",
}

// roleClasses are classes of several roles, by the classes of these.
var roleClasses = []struct{ name, roles string }{
	{"collective", "one2all all2one all2all coll-other"},
	{"barrier", "barrier implicit-barrier"},
	{"io", "file-io file-io-metadata"},
	{"memory", "allocate deallocate reallocate"},
	{"sync", "critical critical-sblock atomic barrier implicit-barrier flush ordered ordered-sblock task-wait thread-wait"},
}

// regionClass returns the classes of regions of a class: the paradigm and the activity are families.
func regionClass(c trace.RegionClass) *classes {
	role := className(trace.EnumRegionRole.Format(c.Role))
	all := &classes{families: []string{className(trace.EnumParadigm.Format(c.Paradigm))}, roles: []string{role}}
	all.families = insert(all.families, activityClasses[c.Activity])
	for _, several := range roleClasses {
		if slices.Contains(strings.Fields(several.roles), role) {
			all.roles = insert(all.roles, several.name)
		}
	}
	if role == "barrier" && (c.Activity == trace.ActivityMPI || c.Activity == trace.ActivityPGAS) {
		all.roles = insert(all.roles, "collective") // OpenMP's are not called so
	}
	return all
}

// knownRegions returns all classes of regions.
func knownRegions() *classes {
	all := &classes{}
	for _, paradigm := range trace.EnumParadigm.Values() {
		all.add(regionClass(trace.ClassifyRegion(&trace.Region{Paradigm: paradigm}, "")))
	}
	for _, role := range trace.EnumRegionRole.Values() {
		all.add(regionClass(trace.ClassifyRegion(&trace.Region{Role: role}, "")))
	}
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
func locationClass(d *trace.Definitions, id uint64) *classes {
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
