package trace

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
