// Package fold makes one row of a timeline out of those of many locations: of the threads of a process, of the processes of a node, of a
// cluster of locations that are alike, of all. Who cannot look at 10,000 rows looks at seven.
//
//	Groups              which locations are folded together: by process, node, device, or all; others are given as lists
//	store.TimelineRuns  the time of each location by pixel and region, some locations at a time
//	pile                the sums of a group by pixel and region
//	sweep               the union of busy time, from calls, in pixels where the sums do not tell it
//	Row                 what [Select] chooses of each pixel
//
// The prior art (Weber 2016, section 6.1) has one sampled state for each pixel and location, and counts those. Here states count by their
// time: a state is the region of the innermost call, or no call. A location is busy while a call is open; where the window's filters name
// regions, while one of these is the innermost. See [Select] for what becomes of the states of a pixel, and [Busy] for utilisation.
//
// Work goes through the locations once, in the order of the file's lanes, as far as the groups under way fit into the memory: see
// [Options]. The answer depends neither on that nor on the number of processors.
package fold
