package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"math/big"
	"os"
	"strconv"
	"time"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// overview is what `pando info` says of a file. Times are ticks relative to the epoch.
type overview struct {
	File               string           `json:"file"`
	Bytes              int64            `json:"bytes"`
	Format             string           `json:"format"`
	FileID             string           `json:"file_id"`
	FormatVersion      string           `json:"format_version"`
	Events             uint64           `json:"events"`
	Locations          int              `json:"locations"`
	Processes          int              `json:"processes"`
	Calls              uint64           `json:"calls"`
	Messages           uint64           `json:"messages"`
	MessageBytes       uint64           `json:"message_bytes"`
	Unmatched          uint64           `json:"unmatched"`
	UnmatchedSends     uint64           `json:"unmatched_sends"`
	UnmatchedReceives  uint64           `json:"unmatched_receives"`
	CancelledSends     uint64           `json:"cancelled_sends"`
	SuspiciousMessages uint64           `json:"suspicious_messages"`
	OpenCalls          uint64           `json:"open_calls"`
	CutCalls           uint64           `json:"cut_calls"`
	OrphanLeaves       uint64           `json:"orphan_leaves"`
	MaxDepth           uint64           `json:"max_depth"`
	Definitions        uint64           `json:"definitions"`
	SHA256             string           `json:"sha256"`
	Slices             uint64           `json:"slices"`
	Epochs             uint64           `json:"epochs"`
	Lanes              uint64           `json:"lanes"`
	Levels             uint64           `json:"levels"`
	Nodes              uint64           `json:"nodes"`
	Resolution         uint64           `json:"resolution"`
	Epoch              uint64           `json:"epoch"`
	First              int64            `json:"first"`
	Last               int64            `json:"last"`
	FirstAbsolute      *big.Int         `json:"first_ticks_absolute"`
	LastAbsolute       *big.Int         `json:"last_ticks_absolute"`
	DurationTicks      int64            `json:"duration_ticks"`
	DurationSeconds    float64          `json:"duration_seconds"`
	Kinds              kindCounts       `json:"kinds"`
	OtherKinds         kindCounts       `json:"other_kinds"`
	AuxStreams         []auxStream      `json:"aux_streams"`
	Properties         properties       `json:"properties"`
	History            []conversionStep `json:"history"`
	Regions            []regionTotal    `json:"regions,omitempty"`
	LocationList       []placeTotal     `json:"location_list,omitempty"`
	ByteLines          []byteLine       `json:"byte_lines,omitempty"`
	Compaction         *compaction      `json:"compaction,omitempty"`
}

// kindCounts are numbers of records by the names of their kinds, in the order of the kinds' numbers.
type kindCounts []kindCount

type kindCount struct {
	name  string
	count uint64
}

// MarshalJSON makes one object, in order.
func (k kindCounts) MarshalJSON() ([]byte, error) {
	pairs := make([][2][]byte, len(k))
	for i, c := range k {
		pairs[i] = [2][]byte{jsonString(c.name), strconv.AppendUint(nil, c.count, 10)}
	}
	return jsonObject(pairs), nil
}

type properties []trace.Property

// MarshalJSON makes one object, in order.
func (p properties) MarshalJSON() ([]byte, error) {
	pairs := make([][2][]byte, len(p))
	for i, c := range p {
		pairs[i] = [2][]byte{jsonString(c.Name), jsonString(c.Value)}
	}
	return jsonObject(pairs), nil
}

func jsonObject(pairs [][2][]byte) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, p := range pairs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(p[0])
		b.WriteByte(':')
		b.Write(p[1])
	}
	b.WriteByte('}')
	return b.Bytes()
}

// auxStream is an auxiliary stream; Location is null where it belongs to the whole trace.
type auxStream struct {
	Class    string  `json:"class"`
	Location *uint64 `json:"location"`
	Records  uint64  `json:"records"`
}

func newOverview(f *opened) (*overview, error) {
	i, m, id := f.Info(), f.Meta(), f.ID()
	version, err := formatVersion(f.path)
	o := &overview{
		File: f.path, Bytes: i.FileBytes, Format: m.Format, FileID: hex.EncodeToString(id[:]), FormatVersion: version,
		Events: i.Events, Locations: len(i.Locations), Processes: processes(f), Calls: i.Calls, Messages: i.Messages, MessageBytes: i.MessageBytes,
		Unmatched: i.UnmatchedSends + i.UnmatchedReceives, UnmatchedSends: i.UnmatchedSends,
		UnmatchedReceives: i.UnmatchedReceives, CancelledSends: i.CancelledSends, SuspiciousMessages: i.SuspiciousMessages,
		OpenCalls: i.OpenCalls, CutCalls: i.CutCalls, OrphanLeaves: i.OrphanLeaves, MaxDepth: i.MaxDepth,
		Definitions: i.Definitions, SHA256: hex.EncodeToString(i.SHA256[:]), Slices: i.Slices, Epochs: i.Epochs, Lanes: i.Lanes, Levels: i.Levels, Nodes: i.Nodes,
		Resolution: m.Resolution, Epoch: m.Epoch, First: i.First, Last: i.Last,
		FirstAbsolute: m.SourceTime(i.First), LastAbsolute: m.SourceTime(i.Last),
		DurationTicks: i.Last - i.First, DurationSeconds: f.clock.seconds(i.Last - i.First),
		AuxStreams: []auxStream{}, Properties: m.Properties, History: historyOf(m),
	}
	o.countKinds(i.Kinds, m.Table())
	for _, s := range i.AuxStreams {
		o.AuxStreams = append(o.AuxStreams, newAuxStream(s))
	}
	return o, err
}

func (o *overview) countKinds(counts []store.KindCount, table *trace.Table) {
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

func newAuxStream(s trace.StreamInfo) auxStream {
	a := auxStream{Class: streamNames[s.Class], Records: s.Records}
	if s.Class == trace.StreamLocalDefinitions || s.Class == trace.StreamSnapshots {
		a.Location = &s.Location
	}
	return a
}

// formatVersion reads the version from a file's header.
func formatVersion(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	head := make([]byte, format.HeaderSize)
	if _, err := io.ReadFull(f, head); err != nil {
		return "", err
	}
	h, err := format.ParseHeader(head)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d.%d", h.Major, h.Minor), nil
}

// processes returns the number of processes, or accelerator contexts, that have locations.
func processes(f *opened) int {
	groups := map[uint64]bool{}
	for i := range f.names.defs.Locations {
		groups[f.names.defs.Locations[i].Group] = true
	}
	return len(groups)
}

// placeTotal is a location. Times are ticks relative to the epoch.
type placeTotal struct {
	ID       uint64  `json:"id"`
	Name     string  `json:"name"`
	Process  *uint64 `json:"process"`
	Group    string  `json:"process_name"`
	Type     string  `json:"type"`
	Events   uint64  `json:"events"`
	Calls    uint64  `json:"calls"`
	First    int64   `json:"first"`
	Last     int64   `json:"last"`
	MaxDepth uint64  `json:"max_depth"`
	Lane     uint32  `json:"lane"`
}

func listLocations(f *opened) []placeTotal {
	list := []placeTotal{}
	for _, l := range f.Info().Locations {
		p := placeTotal{ID: l.ID, Name: f.names.defs.Name(trace.SpaceLocation, l.ID), Events: l.Events, Calls: l.Calls,
			First: l.First, Last: l.Last, MaxDepth: l.MaxDepth, Lane: l.Lane}
		if at, ok := f.names.defs.LocationIndex(l.ID); ok {
			d := &f.names.defs.Locations[at]
			p.Process, p.Group = &d.Group, f.names.defs.Name(trace.SpaceLocationGroup, d.Group)
			p.Type = trace.EnumLocationType.Format(d.Type)
		}
		list = append(list, p)
	}
	return list
}

// began returns the wall-clock time of the first event, "" if the trace does not tell.
func began(f *opened) string {
	c := &f.names.defs.Clock
	if c.Realtime == trace.Undefined || c.Realtime == 0 || c.Resolution == 0 {
		return ""
	}
	since := float64(int64(f.Meta().Epoch+uint64(f.Info().First)-c.GlobalOffset)) / float64(c.Resolution)
	return time.Unix(0, int64(c.Realtime)+int64(since*1e9)).UTC().Format("2006-01-02 15:04:05.000 UTC")
}
