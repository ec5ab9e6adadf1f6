package spec

import (
	"github.com/pandotrace/pando/trace"
)

// plainEnd is one end of a message.
type plainEnd struct {
	location, ordinal, length uint64
	time                      int64
	skip                      uint64
}

// plainChannel is what the two ends of a message agree in.
type plainChannel struct {
	from, to          plainProcess
	communicator, tag uint64
}

type plainProcess struct {
	id    uint64
	group bool
}

// plainEnds are the ends of messages in a slice that have their partner there.
type plainEnds struct {
	file        *plainFile
	definitions *trace.Definitions
	sends       map[plainChannel][]plainEnd
	receives    []struct {
		plainEnd
		plainChannel
	}
}

func (e *plainEnds) process(location uint64) plainProcess {
	id, ok := e.definitions.Process(location)
	return plainProcess{id, ok}
}

// collect takes the ends of a lane.
func (e *plainEnds) collect(s *plainSlice) {
	number := uint64(0)
	for i := range s.runs {
		run := &s.runs[i]
		for j, r := range run.records {
			send := r.Kind == trace.KindMpiSend || r.Kind == trace.KindMpiIsend
			if !send && r.Kind != trace.KindMpiRecv && r.Kind != trace.KindMpiIrecv {
				continue
			}
			mark, marked := s.marks[number]
			number++
			if marked && mark == 0 {
				met["unpaired end"]++
				continue
			}
			id := e.file.locations[run.location].id
			end := plainEnd{location: id, ordinal: run.first + uint64(j), length: r.Words[3], time: r.Time}
			peer, _ := e.definitions.RankLocation(r.Words[1], r.Words[0], id)
			c := plainChannel{e.process(id), e.process(peer), r.Words[1], r.Words[2]}
			if send {
				e.sends[c] = append(e.sends[c], end)
				continue
			}
			if marked {
				end.skip = mark
			}
			c.from, c.to = c.to, c.from
			e.receives = append(e.receives, struct {
				plainEnd
				plainChannel
			}{end, c})
		}
	}
}

func (e *plainEnds) pair() (messages []trace.Message) {
	for _, r := range e.receives {
		free := e.sends[r.plainChannel]
		s := free[r.skip]
		e.sends[r.plainChannel] = append(free[:r.skip:r.skip], free[r.skip+1:]...)
		met["pair of ends"]++
		messages = append(messages, trace.Message{
			SendLocation: s.location, SendOrdinal: s.ordinal, SendTime: s.time, SendLength: s.length,
			ReceiveLocation: r.location, ReceiveOrdinal: r.ordinal, ReceiveTime: r.time, ReceiveLength: r.length,
			Communicator: r.communicator, Tag: r.tag,
		})
	}
	return messages
}

// sliceOf returns the slice that has a time.
func (f *plainFile) sliceOf(t int64) int {
	for i, s := range f.slices {
		if int64(s[0]) <= t && t < int64(s[1]) {
			return i
		}
	}
	return -1
}
