package otf

import "github.com/pandotrace/pando/trace"

// put makes a record whose words are the fields of a form, in order.
func (r *reader) put(f *form) {
	b, own := r.cur.batch, f.spec.Fields
	if r.grammar.definitions {
		r.putList()
		b.Words = append(b.Words, r.streamID)
		own = own[1:]
	}
	slot := 0
	for i := range own {
		fd := &own[i]
		switch {
		case fd.Type == trace.TypeCount:
			b.Words = append(b.Words, uint64(len(r.members(slot))))
			continue // the members are in the same slot
		case fd.Repeat:
			b.Words = append(b.Words, r.members(slot)...)
		case fd.Type == trace.TypeText:
			b.Words = append(b.Words, putText(b, r.str(slot)))
		default:
			b.Words = append(b.Words, r.word(fd, r.values[slot]))
		}
		slot++
	}
	r.finish(f.kind)
}

// word makes a number of the file one of the model: with the trace's own ids and times.
func (r *reader) word(fd *trace.Field, v uint64) uint64 {
	switch {
	case fd.Type == trace.TypeTime:
		return v - r.epoch
	case fd.Type != trace.TypeRef:
		return v
	}
	return r.scope.ids[fd.Ref].of(v)
}

// enter: ENTER function.
func (r *reader) enter(*form) {
	region := r.region(r.values[0])
	r.cur.calls.enter(uint32(region))
	r.cur.batch.Words = append(r.cur.batch.Words, region)
	r.finish(trace.KindEnter)
}

// leave: LEAVE function, or nothing (or 0), which is the current one.
func (r *reader) leave(*form) {
	region := r.region(r.values[0])
	if r.values[0] == 0 {
		current, ok := r.cur.calls.current()
		if !ok {
			r.fail("a leave that does not say of what, where calls nest too deep to know")
			return
		}
		region = uint64(current)
	}
	r.cur.calls.leave(uint32(region))
	r.cur.batch.Words = append(r.cur.batch.Words, region)
	r.finish(trace.KindLeave)
}

func (r *reader) region(function uint64) uint64 { return r.scope.ids[trace.SpaceRegion].of(function) }

// counter: COUNTER counter VALUE value.
func (r *reader) counter(*form) {
	r.metric(r.values[0], r.values[1])
	r.finish(trace.KindMetric)
}

// metric appends the words of a metric event or snapshot.
func (r *reader) metric(counter, value uint64) {
	b := r.cur.batch
	b.Words = append(b.Words, r.scope.ids[trace.SpaceMetric].of(counter), 1, r.scope.counterType(counter), value)
}

// Parts of the number that tells a file operation.
const operationCode = 31

// fileOperation: FILEOP file HANDLEID h OPERATION o BYTES n DUR d.
func (r *reader) fileOperation(*form) {
	b, v := r.cur.batch, &r.values
	b.Words = append(b.Words, r.ioFile(v[0]), v[1], v[2]&operationCode, v[2]&^operationCode, v[3], v[4])
	r.finish(trace.KindFileOperation)
}

// fileOperationEnd: FILEOPENDNEW file MATCHID m HANDLEID h OPERATION o BYTES n.
func (r *reader) fileOperationEnd(*form) {
	b, v := r.cur.batch, &r.values
	b.Words = append(b.Words, r.ioFile(v[0]), v[1], v[2], v[3]&operationCode, v[3]&^operationCode, v[4])
	r.finish(trace.KindFileOperationEnd)
}

// fileOperationEndOld: FILEOPEND file HANDLEID m OPERATION o BYTES n: of old versions, whose handle is the match id.
func (r *reader) fileOperationEndOld(f *form) {
	v := &r.values
	v[2], v[3], v[4] = 0, v[2], v[3]
	r.fileOperationEnd(f)
}

func (r *reader) ioFile(file uint64) uint64 { return r.scope.ids[trace.SpaceIoFile].of(file) }

// snapshotEnter: TENTER function OTIME t.
func (r *reader) snapshotEnter(*form) {
	b, v := r.cur.batch, &r.values
	b.Words = append(b.Words, v[1]-r.epoch, r.region(v[0]))
	r.finish(trace.KindSnapshotEnter)
}

// snapshotSend: TSEND receiver OTIME t GROUP comm TAG t LEN n.
func (r *reader) snapshotSend(*form) {
	b, v := r.cur.batch, &r.values
	comm, rank := r.peer(v[2], v[0])
	b.Words = append(b.Words, v[1]-r.epoch, rank, comm, v[3], v[4])
	r.finish(trace.KindSnapshotMpiSend)
}

// snapshotFile: TOPENFILE file OTIME t HANDLEID h.
func (r *reader) snapshotFile(*form) {
	b, v := r.cur.batch, &r.values
	b.Words = append(b.Words, v[1]-r.epoch, r.ioFile(v[0]), v[2])
	r.finish(trace.KindSnapshotOpenFile)
}

// snapshotCounter: TCOUNTER t COUNTER counter VALUE value.
func (r *reader) snapshotCounter(*form) {
	b, v := r.cur.batch, &r.values
	b.Words = append(b.Words, v[0]-r.epoch)
	r.metric(v[1], v[2])
	r.finish(trace.KindSnapshotMetric)
}

// message: SEND receiver, or RECEIVE sender, LEN n TAG t COMM c.
func (r *reader) message(f *form) {
	b, v := r.cur.batch, &r.values
	comm, rank := r.peer(v[3], v[0])
	b.Words = append(b.Words, rank, comm, v[2], v[1])
	r.finish(f.kind)
}

// severities of markers, by their types in the file: unknown, error, warning, hint.
var severities = [...]uint64{0, 3, 2, 1}

// markerDefinition: MARKERDEF token NAME "name" TYPE t.
func (r *reader) markerDefinition(*form) {
	b, v := r.cur.batch, &r.values
	if v[2] >= uint64(len(severities)) {
		r.fail("a marker of type %d", v[2])
		return
	}
	b.Words = append(b.Words, v[0], putText(b, nil), putText(b, r.str(1)), severities[v[2]])
	r.finish(trace.KindDefMarker)
}

// Scopes of markers.
const (
	scopeGlobal   = 0
	scopeLocation = 1
)

// marker: MARKERSPOT token TIME t PROCESS p VALUE "text".
func (r *reader) marker(*form) {
	b, v := r.cur.batch, &r.values
	scope := uint64(scopeLocation)
	if v[2] == 0 {
		scope = scopeGlobal
	}
	b.Words = append(b.Words, v[1]-r.epoch, 0, v[0], scope, v[2], putText(b, r.str(3)))
	r.finish(trace.KindMarker)
}
