package read

import (
	"encoding/json"
	"regexp"

	"github.com/pandotrace/pando/convert/chrome/internal/scan"
)

// PyTorch's profiler (Kineto) makes each GPU a process, whose pid is the number of the device, and each of its streams a thread. The process
// has a label, as "GPU 1"; its name is that of the program. What runs on streams has categories of its own, and arguments that say
// device and stream. See libkineto/src/output_json.cpp of github.com/pytorch/kineto.

var labelOfGPU = regexp.MustCompile(`^GPU [0-9]+$`)

// label takes in the labels of a process: those of a GPU, or of the program.
func (r *reader) label(e *event, p *process) {
	text := scan.Text(r.argument(e, `"labels"`), &r.room)
	if labelOfGPU.Match(text) {
		p.label = r.names.strings.id(text)
	}
	p.isCPU = string(text) == "CPU"
}

// categoryClass is a role and a paradigm.
type categoryClass struct{ role, paradigm uint64 }

// classesOfCategories are roles and paradigms of regions by their category, in files that have streams of GPUs.
var classesOfCategories = map[string]categoryClass{
	"kernel": {roleFunction, paradigmCUDA}, "Kernel": {roleFunction, paradigmCUDA},
	"gpu_memcpy": {roleTransfer, paradigmCUDA}, "Memcpy": {roleTransfer, paradigmCUDA},
	"gpu_memset": {roleTransfer, paradigmCUDA}, "Memset": {roleTransfer, paradigmCUDA},
	"gpu_user_annotation": {roleCode, paradigmCUDA},
	"cuda_runtime":        {roleFunction, paradigmCUDA}, "cuda_driver": {roleFunction, paradigmCUDA}, "Runtime": {roleFunction, paradigmCUDA},
}

// onStream reports whether a slice is work of a GPU, which names its stream.
func (r *reader) onStream(e *event) bool {
	switch string(e.cat()) {
	case `"kernel"`, `"gpu_memcpy"`, `"gpu_memset"`, `"Kernel"`, `"Memcpy"`, `"Memset"`:
		return r.argument(e, `"stream"`) != nil
	}
	return false
}

// accelerators finds out which processes are GPUs: those of that label, and those of which all threads with events are streams. A thread of
// a GPU is a stream.
func (l *locations) accelerators() (gpu []bool) {
	gpu = make([]bool, len(l.processes))
	others := make([]bool, len(l.processes))
	for i := range l.List {
		t := &l.List[i]
		gpu[t.process] = gpu[t.process] || t.stream
		others[t.process] = others[t.process] || !t.stream && t.records > 0
	}
	for i := range gpu {
		gpu[i] = gpu[i] && !others[i] || l.processes[i].label != none
	}
	for i := range l.List {
		l.List[i].stream = l.List[i].stream || gpu[l.List[i].process]
	}
	return gpu
}

// streams says whether the file has streams of GPUs.
func (l *locations) streams() bool {
	for i := range l.List {
		if l.List[i].stream {
			return true
		}
	}
	return false
}

// host returns the process that GPUs work for: the only one that is labelled as that of the CPU; none if there is another number of them.
func (l *locations) host() (id uint64) {
	id = none
	for i := range l.processes {
		switch p := &l.processes[i]; {
		case !p.isCPU:
		case id != none:
			return none
		default:
			id = p.id
		}
	}
	return id
}

// nameGPUs calls GPUs by their labels, and keeps their names as properties.
func (d *definer) nameGPUs() {
	for i := range d.Locations.processes {
		p := &d.Locations.processes[i]
		if p.label == none {
			continue
		}
		if p.name != none && len(p.notes) < maxNotes {
			name, _ := json.Marshal(string(d.names.strings.at(p.name))) // a string always can be marshalled
			p.notes = append(p.notes, note{uint32(d.text("process_name")), uint32(d.text(`{"name":` + string(name) + `}`))})
		}
		p.name = p.label
	}
}
