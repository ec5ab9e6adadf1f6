package record

// The layout of a recording, see spec/recording. All numbers are little endian.
const (
	magic    = "PANDOREC"
	version  = 2
	headSize = 4096

	atVersion   = 8
	atHeadSize  = 12
	atBinSize   = 16
	atBins      = 20
	atRun       = 24
	atProcess   = 32
	atRank      = 36
	atRanks     = 40
	atClock     = 44
	atMode      = 48
	atReduction = 52
	atState     = 56
	atFloor     = 60
	atHorizon   = 64
	atStopped   = 72
	atStartPair = 80
	atPairSlot  = 96
	atPairs     = 104
	atEvery     = 140
	atClasses   = 144
	atNoMetrics = 148
	atUntil     = 152
	atHost      = 256
	hostSize    = 128
	atProgram   = 384
	programSize = 512
	atPhases    = 896
	atClassText = 1408
	atFilter    = 2048
)

// Words of the head by which others steer a running program. Both sides change attention by atomic operations.
const (
	atAttention = 1984
	atSteerable = 1988
	atAsked     = 1992
	atAnswered  = 1996
	atWanted    = 2000
	atPaused    = 2004
	atChanged   = 2008
	atRules     = 3072
)

// Bits of attention.
const (
	requestWaits = 1 // set by who asks
	steered      = 2 // set by the recorder: calls are not as the handles of regions say
	hasEnded     = 4 // set by the recorder: it was closed
)

// Bits of what is wanted.
const (
	wantPause  = 1
	wantResume = 2
	wantRules  = 4
)

const noRank = 1<<32 - 1

// States of a recording.
const (
	stateRunning = 0
	stateClosed  = 1
)

// Kinds of clocks.
const (
	clockMonotonic = 1
	clockCounter   = 2
)

// Kinds of bins.
const (
	binFree        = 0
	binLocation    = 1
	binProfile     = 2
	binDefinitions = 3
	binCalls       = 4
	binEvents      = 5
	binMetrics     = 6
)

// A bin begins with its kind, location, class and generation, each of 32 bits, and its base time.
const (
	binHeader       = 32
	binAtLocation   = 4
	binAtClass      = 8
	binAtGeneration = 12
	binAtBase       = 16
	minBin          = 16 << 10
	maxBin          = 64 << 10
)

// Bins of locations: depth, counters, the stack of open calls, and the calls that were open when the recording stopped.
const (
	locationAtDepth     = binHeader + 4
	locationAtMarkers   = binHeader + 8
	locationAtUnmatched = binHeader + 16
	locationAtDeep      = binHeader + 24
	locationAtLost      = binHeader + 32
	locationAtFrozen    = binHeader + 40
	locationAtPhases    = binHeader + 48
	locationAtEvents    = binHeader + 56
	locationAtStack     = binHeader + 64
	locationAtStopped   = locationAtStack + maxDepth*frameSize
	frameSize           = 24
	maxDepth            = 256
)

// Classes of calls: the octave of the duration, and a bit for calls with events inside.
const (
	protected = 64
	classes   = 128
)

// profileEntry is the size of the three sums of a region.
const profileEntry = 24

// Kinds of definitions in a recording.
const (
	defineRegion   = 1
	defineMetric   = 2
	defineComm     = 3
	defineMembers  = 4
	defineLocation = 5
	defineCounter  = 10
	defineMarker   = 15
	defineText     = 16
)

// maxRecord is the largest record of a call (tag, region of four bytes, two numbers of eight) with room for stores of eight bytes behind it.
const maxRecord = 32
