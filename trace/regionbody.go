package trace

// Roles of OpenMP's constructs that have no name in this package otherwise, values of EnumRegionRole.
const (
	roleSingleBlock   = 10
	roleCriticalBlock = 13
	roleOrderedBlock  = 19
	roleUntiedTask    = 34
)

// OwnActivity returns what a location does in the exclusive time of such a region. It differs from Activity for constructs of OpenMP that
// enclose code of the program (a parallel region, a loop, a section, a task): tools record that code as time of the construct, and it
// is computation. Barriers, locks and the creation of tasks stay OpenMP.
func (c RegionClass) OwnActivity() Activity {
	if c.Activity != ActivityOpenMP {
		return c.Activity
	}
	switch c.Role {
	case roleLoop, roleCode, roleParallel, roleSection, roleWorkshare, roleSingleBlock, roleMaster, roleCriticalBlock, roleOrderedBlock, roleTask, roleUntiedTask:
		return ActivityComputation
	}
	return ActivityOpenMP
}
