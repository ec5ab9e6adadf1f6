package clog2

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/convert/mpe"
	"github.com/pandotrace/pando/trace"
)

// Sizes at the begin of a file, in bytes.
const (
	preambleBytes = 1024
	maxBlock      = 1 << 30
)

// versionPrefix is what files of all versions begin with; version is the one that is read.
const (
	versionPrefix = "CLOG-"
	version       = "CLOG-02.44"
)

// preamble is what the first bytes of a file say. Counts are at most maxCount.
type preamble struct {
	values                            []trace.Property // all, by title
	bigEndian, finished               bool
	block                             int64 // bytes of a block
	worldSize, threads                int64
	firstState, firstUserState        int64 // event ids
	firstSolo, firstUserSolo          int64
	states, userStates, solos, usolos int64 // counts
	table                             int64 // offset of the table of communicators; less than preambleBytes if it was not written
}

const maxCount = 1 << 24

// preambleTitles are the titles of the values behind the version, in order; the last one has three values.
var preambleTitles = []string{"is_big_endian", "is_finalzed", "block_size", "num_buffered_blocks", "max_comm_world_size",
	"max_thread_count", "known_eventID_start", "user_eventID_start", "known_solo_eventID_start", "user_solo_eventID_start",
	"known_stateID_count", "user_stateID_count", "known_solo_eventID_count", "user_solo_eventID_count", "commtable_fptr"}

// Detect reports whether a file that begins with prefix is a CLOG-2 file.
func Detect(prefix []byte) bool { return bytes.HasPrefix(prefix, []byte(versionPrefix)) }

// DetectPart reports whether a file that begins with prefix is one process's part of a log that was never finished.
func DetectPart(prefix []byte) bool {
	fields := bytes.SplitN(prefix, []byte{0}, 6)
	return bytes.HasPrefix(prefix, []byte(versionPrefix)) && len(fields) == 6 && strings.EqualFold(string(bytes.TrimSpace(fields[4])), "FALSE")
}

// parsePreamble reads the values by their position, as all readers do.
func parsePreamble(path string, data []byte) (*preamble, error) {
	if !bytes.HasPrefix(data, []byte(versionPrefix)) {
		return nil, mpe.Corrupt(path, 0, "is no CLOG-2 file")
	}
	if len(data) < preambleBytes {
		return nil, mpe.Corrupt(path, 0, "a preamble of %d bytes, not %d", len(data), preambleBytes)
	}
	fields := strings.Split(string(data), "\x00")
	if !strings.EqualFold(fields[0], version) {
		return nil, mpe.Unsupported(path, 0, "version %.16q is not supported, only %s", fields[0], version)
	}
	if len(fields) < 1+2*len(preambleTitles)+2 {
		return nil, mpe.Corrupt(path, 0, "a preamble of %d strings", len(fields))
	}
	p := &preamble{values: []trace.Property{{Name: "clog2.version", Value: fields[0]}}}
	for i, title := range preambleTitles {
		value := strings.TrimSpace(fields[2+2*i])
		if i == len(preambleTitles)-1 {
			break
		}
		p.values = append(p.values, trace.Property{Name: "clog2." + title, Value: value})
	}
	return p, p.parse(path, fields[2*len(preambleTitles):])
}

// parse reads the values, and the three numbers that say where the table is: quotient, unit, rest.
func (p *preamble) parse(path string, place []string) error {
	var err error
	value := func(i int) string { return p.values[1+i].Value }
	number := func(title, s string, least, most int64) int64 {
		n, parsed := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if (parsed != nil || n < least || n > most) && err == nil {
			err = mpe.Corrupt(path, 0, "%s is %.20q", title, s)
		}
		return n
	}
	numbered := func(i int, least, most int64) int64 { return number(preambleTitles[i], value(i), least, most) }
	p.bigEndian, p.finished = strings.EqualFold(value(0), "TRUE"), strings.EqualFold(value(1), "TRUE")
	p.block = numbered(2, headerBytes, maxBlock)
	p.worldSize, p.threads = numbered(4, 1, maxCount), numbered(5, 1, maxCount)
	p.firstState, p.firstUserState = numbered(6, -maxCount, maxCount), numbered(7, -maxCount, maxCount)
	p.firstSolo, p.firstUserSolo = numbered(8, -maxCount, maxCount), numbered(9, -maxCount, maxCount)
	p.states, p.userStates = numbered(10, 0, maxCount), numbered(11, 0, maxCount)
	p.solos, p.usolos = numbered(12, 0, maxCount), numbered(13, 0, maxCount)
	title := preambleTitles[len(preambleTitles)-1]
	quotient, unit, rest := number(title, place[0], 0, 1<<31), number(title, place[1], 0, 1<<31), number(title, place[2], 0, 1<<61)
	p.table = quotient*unit + rest
	return err
}
