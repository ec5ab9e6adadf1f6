package report

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pandotrace/pando/internal/report/lost"
	"github.com/pandotrace/pando/internal/report/said"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// Info is the content of a trace in numbers, with its times and the properties that its source gave it.
type Info struct {
	// Name is the file's name without its folder and the extension .pando.
	Name string `json:"name"`
	// Bytes is the size of the file.
	Bytes int64 `json:"bytes"`
	// Unfinished says that the file has no end yet: it is being written, or its writer was killed. All else is of the groups that are whole.
	Unfinished bool `json:"unfinished,omitempty"`
	// Format is the trace's format before it was converted, empty if it is not known.
	Format string `json:"format"`
	// FileID is the random id of the file, in hexadecimal digits.
	FileID        string `json:"file_id"`
	FormatVersion string `json:"format_version"`
	Events        uint64 `json:"events"`
	Locations     int    `json:"locations"`
	// Processes is the number of processes and accelerator contexts that have locations.
	Processes int    `json:"processes"`
	Calls     uint64 `json:"calls"`
	Messages  uint64 `json:"messages"`
	// MessageBytes is the sum of the lengths of all messages, as sent.
	MessageBytes uint64 `json:"message_bytes"`
	// Unmatched is the number of sends and receives without a partner.
	Unmatched         uint64 `json:"unmatched"`
	UnmatchedSends    uint64 `json:"unmatched_sends"`
	UnmatchedReceives uint64 `json:"unmatched_receives"`
	CancelledSends    uint64 `json:"cancelled_sends"`
	// Suspicious counts what a sound program does not do.
	Suspicious Suspicious `json:"suspicious"`
	// OpenCalls were never left, CutCalls ended by a leave further out. OrphanLeaves are leaves without a call.
	OpenCalls    uint64 `json:"open_calls"`
	CutCalls     uint64 `json:"cut_calls"`
	OrphanLeaves uint64 `json:"orphan_leaves"`
	// MaxDepth is the largest number of calls open at once on one location.
	MaxDepth    uint64 `json:"max_depth"`
	Definitions uint64 `json:"definitions"`
	// SHA256 is the fingerprint of the events, in hexadecimal digits.
	SHA256 string `json:"sha256"`
	Slices uint64 `json:"slices"`
	Epochs uint64 `json:"epochs"`
	Lanes  uint64 `json:"lanes"`
	Levels uint64 `json:"levels"`
	Nodes  uint64 `json:"nodes"`
	// TicksPerSecond is the resolution of the trace's clock.
	TicksPerSecond uint64 `json:"ticks_per_second"`
	// EpochTicks is the clock of the source at the trace's epoch.
	EpochTicks uint64 `json:"epoch_ticks"`
	// FirstEventTicks and LastEventTicks are the clock of the source at the first and at the last event.
	FirstEventTicks *big.Int `json:"first_event_ticks"`
	LastEventTicks  *big.Int `json:"last_event_ticks"`
	// DurationNs and DurationTicks are from the first event to the last one.
	DurationNs    int64 `json:"duration_ns"`
	DurationTicks int64 `json:"duration_ticks"`
	// Kinds are the numbers of events by kind, OtherKinds those of definitions and auxiliary records.
	Kinds      KindCounts   `json:"kinds"`
	OtherKinds KindCounts   `json:"other_kinds"`
	AuxStreams []AuxStreams `json:"aux_streams"`
	Properties Properties   `json:"properties"`
	History    []Conversion `json:"history"`
	// Annotations are what was said of the trace afterwards.
	Annotations []said.Annotation `json:"annotations,omitempty"`
	// Loss is there if the trace tells less than the one that it was made of.
	Loss *lost.Bounds `json:"loss,omitempty"`

	// Regions, LocationList, ByteLines and Compaction are there if the question asks for them.
	Regions      []RegionTime   `json:"regions,omitempty"`
	LocationList []LocationInfo `json:"location_list,omitempty"`
	ByteLines    []ByteLine     `json:"byte_lines,omitempty"`
	Compaction   *Compaction    `json:"compaction,omitempty"`

	trace *Trace
}

// KindCounts are numbers of records by the names of their kinds, in the order of the kinds' numbers: one JSON object.
type KindCounts []kindCount

type kindCount struct {
	name  string
	count uint64
}

// MarshalJSON makes one object, in order.
func (k KindCounts) MarshalJSON() ([]byte, error) {
	pairs := make([][2][]byte, len(k))
	for i, c := range k {
		pairs[i] = [2][]byte{jsonString(c.name), strconv.AppendUint(nil, c.count, 10)}
	}
	return jsonObject(pairs), nil
}

// Properties are the properties of a trace, in their order: one JSON object.
type Properties []trace.Property

// MarshalJSON makes one object, in order.
func (p Properties) MarshalJSON() ([]byte, error) {
	pairs := make([][2][]byte, len(p))
	for i, c := range p {
		pairs[i] = [2][]byte{jsonString(c.Name), jsonString(c.Value)}
	}
	return jsonObject(pairs), nil
}

func jsonObject(pairs [][2][]byte) []byte {
	members := make([][]byte, len(pairs))
	for i, p := range pairs {
		members[i] = slices.Concat(p[0], []byte{':'}, p[1])
	}
	return slices.Concat([]byte{'{'}, bytes.Join(members, []byte{','}), []byte{'}'})
}

// AuxStreams are the auxiliary streams of a class: local, snapshot, marker, thumbnail or statistics.
type AuxStreams struct {
	Class   string `json:"class"`
	Streams uint64 `json:"streams"`
	Records uint64 `json:"records"`
}

// NewInfo returns what is in a trace, without regions, locations, bytes and compaction.
func NewInfo(t *Trace) *Info {
	i, m, id := t.Info(), t.Meta(), t.ID()
	o := &Info{
		Name: t.Name, Bytes: i.FileBytes, Unfinished: t.Unfinished(), Format: m.Format, FileID: hex.EncodeToString(id[:]), FormatVersion: t.FormatVersion(),
		Events: i.Events, Locations: int(i.Locations), Processes: processes(t), Calls: i.Calls, Messages: i.Messages, MessageBytes: i.MessageBytes,
		Unmatched: i.UnmatchedSends + i.UnmatchedReceives, UnmatchedSends: i.UnmatchedSends,
		UnmatchedReceives: i.UnmatchedReceives, CancelledSends: i.CancelledSends, Suspicious: newSuspicious(i),
		OpenCalls: i.OpenCalls, CutCalls: i.CutCalls, OrphanLeaves: i.OrphanLeaves, MaxDepth: i.MaxDepth,
		Definitions: i.Definitions, SHA256: hex.EncodeToString(i.SHA256[:]), Slices: i.Slices, Epochs: i.Epochs, Lanes: i.Lanes, Levels: i.Levels, Nodes: i.Nodes,
		TicksPerSecond: m.Resolution, EpochTicks: m.Epoch, FirstEventTicks: m.SourceTime(i.First), LastEventTicks: m.SourceTime(i.Last),
		DurationTicks: i.Last - i.First, DurationNs: t.clock.nanoseconds(i.Last - i.First),
		AuxStreams: []AuxStreams{}, Properties: m.Properties, History: historyOf(m), Annotations: said.List(m, i.First), Loss: lost.Of(m, i.Deviations, t.names.defs), trace: t,
	}
	o.countKinds(i.Kinds, m.Table())
	for _, s := range i.AuxStreams {
		o.countStream(s)
	}
	return o
}

func (o *Info) countKinds(counts []store.KindCount, table *trace.Table) {
	for _, k := range kindOrder(counts) {
		c := kindCount{k.Kind.String(), k.Count}
		if spec := table.Spec(k.Kind); spec != nil {
			c.name = spec.Name
		}
		if k.Kind.IsEvent() {
			o.Kinds = append(o.Kinds, c)
		} else {
			o.OtherKinds = append(o.OtherKinds, c)
		}
	}
}

func (o *Info) countStream(s trace.StreamInfo) {
	class := streamNames[s.Class]
	at := slices.IndexFunc(o.AuxStreams, func(a AuxStreams) bool { return a.Class == class })
	if at < 0 {
		at, o.AuxStreams = len(o.AuxStreams), append(o.AuxStreams, AuxStreams{Class: class})
	}
	o.AuxStreams[at].Streams++
	o.AuxStreams[at].Records += s.Records
}

// processes returns the number of processes, or accelerator contexts, that have locations.
func processes(f *Trace) int {
	groups := map[uint64]bool{}
	for i := range f.names.defs.Locations {
		groups[f.names.defs.Locations[i].Group] = true
	}
	return len(groups)
}

// LocationInfo is what is on a location. Process is null for locations without a definition, Rank for those without an MPI rank; the times of the
// first and the last event, since the first of the trace, for those without events.
type LocationInfo struct {
	Location    uint64  `json:"location"`
	Name        *string `json:"location_name"`
	Process     *uint64 `json:"process"`
	ProcessName *string `json:"process_name"`
	Rank        *int64  `json:"rank"`
	Thread      *int64  `json:"thread"`
	Type        string  `json:"type"`
	Events      uint64  `json:"events"`
	Calls       uint64  `json:"calls"`
	FirstNs     *int64  `json:"first_ns"`
	FirstTicks  *int64  `json:"first_ticks"`
	LastNs      *int64  `json:"last_ns"`
	LastTicks   *int64  `json:"last_ticks"`
	MaxDepth    uint64  `json:"max_depth"`
	Lane        uint32  `json:"lane"`
}

// ListLocations adds the list of locations.
func (o *Info) ListLocations() error {
	locations, err := o.trace.Locations()
	if err != nil {
		return err
	}
	n, zero := o.trace.names, o.trace.clock.First()
	o.LocationList = []LocationInfo{}
	for _, l := range locations {
		p := LocationInfo{Location: l.ID, Name: n.Optional(trace.SpaceLocation, l.ID), Events: l.Events, Calls: l.Calls, MaxDepth: l.MaxDepth, Lane: l.Lane}
		if l.Events > 0 {
			p.FirstTicks, p.LastTicks = new(l.First-zero), new(l.Last-zero)
			p.FirstNs, p.LastNs = new(o.trace.clock.nanoseconds(l.First-zero)), new(o.trace.clock.nanoseconds(l.Last-zero))
		}
		if at, ok := n.defs.LocationIndex(l.ID); ok {
			d := &n.defs.Locations[at]
			p.Process, p.ProcessName = &d.Group, n.Optional(trace.SpaceLocationGroup, d.Group)
			p.Type = trace.EnumLocationType.Format(d.Type)
		}
		p.Rank, p.Thread = n.rank(l.ID)
		o.LocationList = append(o.LocationList, p)
	}
	return nil
}

// began returns the wall-clock time of the first event, "" if the trace does not tell.
func began(f *Trace) string {
	c := &f.names.defs.Clock
	if c.Realtime == trace.Undefined || c.Realtime == 0 || c.Resolution == 0 {
		return ""
	}
	since := float64(int64(f.Meta().Epoch+uint64(f.Info().First)-c.GlobalOffset)) / float64(c.Resolution)
	return time.Unix(0, int64(c.Realtime)+int64(since*1e9)).UTC().Format("2006-01-02 15:04:05.000 UTC")
}

// Conversion is one conversion in the history of a trace.
type Conversion struct {
	Program string        `json:"program"`
	Options string        `json:"options"`
	Note    string        `json:"note"`
	Files   []SourceFiles `json:"files"`
}

// SourceFiles are files that a conversion read and that are called alike; Oldest and Newest are times of modification in UTC (RFC 3339).
type SourceFiles struct {
	Name   string `json:"name"`
	Count  uint64 `json:"count"`
	Bytes  uint64 `json:"bytes"`
	Oldest string `json:"oldest"`
	Newest string `json:"newest"`
}

func historyOf(m *trace.Meta) []Conversion {
	list := []Conversion{}
	for _, c := range m.History {
		s := Conversion{Program: c.Program, Options: c.Options, Note: c.Note, Files: []SourceFiles{}}
		for _, f := range c.Files {
			s.Files = append(s.Files, SourceFiles{f.Name, f.Count, f.Bytes, secondText(f.Oldest), secondText(f.Newest)})
		}
		list = append(list, s)
	}
	return list
}

func secondText(t int64) string { return time.Unix(t, 0).UTC().Format(time.RFC3339) }

// printHistory lists the conversions that the trace went through, and the files that were read.
func printHistory(w io.Writer, history []Conversion) {
	if len(history) == 0 {
		return
	}
	t := newTable([]string{"files", "size"}, "converted by", "options", "of", "files", "size", "modified")
	for _, s := range history {
		who, options := strings.TrimSpace(s.Program+" "+s.Note), s.Options
		for _, f := range s.Files {
			modified := f.Oldest
			if f.Newest != f.Oldest {
				modified += " to " + f.Newest
			}
			t.row(Cell(who), Cell(options), Cell(f.Name), Grouped(f.Count), Size(f.Bytes), modified)
			who, options = "", ""
		}
	}
	fmt.Fprintln(w)
	t.write(w)
}
