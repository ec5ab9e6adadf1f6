package recording

// Status is what a recording says of the process that makes it, at this moment.
type Status struct {
	Process
	// PID is the number that the process has for itself, on the machine called Host.
	PID  int
	Host string
	// Counter reports whether times are those of the processor's counter, and not of the system's monotonic clock.
	Counter bool
	// Closed reports whether the process has ended the recording.
	Closed bool
	// Steerable reports whether the process heeds requests; Waiting whether the last one was not yet looked at.
	Steerable, Waiting bool
	// Paused reports whether recording is paused. Filter has the rules in force, or is empty.
	Paused bool
	Filter string
	// Locations have begun to record.
	Locations int
	// Budget is the size of the recording, and Used that of what it holds, in bytes.
	Budget, Used int64
}

// StatusOf returns what each recording of an archive says of its process, in the order of their ranks.
func StatusOf(a *Archive) ([]Status, error) {
	processes, err := a.Processes()
	if err != nil {
		return nil, err
	}
	list := make([]Status, len(a.files))
	for i, f := range a.files {
		list[i] = Status{Process: processes[i], PID: int(f.process), Host: f.host, Counter: f.clock == clockCounter, Closed: f.state == stateClosed, Steerable: f.steerable, Waiting: f.waiting, Paused: f.paused, Filter: f.filter,
			Budget: headSize + int64(f.head.bins)*int64(f.bin), Used: headSize + int64(len(f.bins))*int64(f.bin)}
	}
	for _, l := range a.locations {
		list[l.f.index].Locations++
	}
	return list, nil
}
