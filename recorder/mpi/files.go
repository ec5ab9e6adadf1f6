package main

import "strings"

// files are what is done for functions that work on files.
func files(m map[string]*action) {
	m["File_open"] = &action{after: "pando_mpi_file_made(comm, filename, amode, pando_mpi_handle_of_file(fh, LANGUAGE));"}
	m["File_close"] = &action{
		before: "pando_mpi_file *f = pando_mpi_file_of(pando_mpi_handle_of_file(fh, LANGUAGE));",
		after:  "pando_mpi_file_closed(f);",
	}
	m["File_delete"] = &action{after: "pando_mpi_file_deleted(filename);"}
	m["File_seek"] = &action{after: "pando_mpi_file_sought(pando_mpi_file_of(fh), fh, offset, whence, 0);"}
	m["File_seek_shared"] = &action{after: "pando_mpi_file_sought(pando_mpi_file_of(fh), fh, offset, whence, 1);"}
	m["File_sync"] = &action{
		before: "pando_mpi_transfer x = pando_mpi_file_begin(pando_mpi_file_of(fh), PANDO_MPI_FLUSH, PANDO_MPI_TOGETHER, 0);",
		after:  "pando_mpi_file_end(x, 0);",
		always: true,
	}
	for _, name := range []string{"read", "write"} {
		for _, kind := range []string{"", "_at", "_all", "_at_all", "_shared", "_ordered"} {
			together := strings.HasSuffix(kind, "_all") || kind == "_ordered"
			m["File_"+name+kind] = &action{
				before:  wanted + " pando_mpi_transfer x = " + moved(name, together, false) + ";",
				after:   "pando_mpi_file_moved(x, outcome, got, LANGUAGE);",
				always:  true,
				replace: map[string]string{"status": "got"},
			}
			if kind != "_ordered" {
				m["File_i"+name+kind] = &action{
					before: "pando_mpi_transfer x = " + moved(name, together, true) + ";",
					after:  "pando_mpi_file_request(x, pando_mpi_handle(request, LANGUAGE));",
				}
			}
			if together {
				split(m, name, kind)
			}
		}
	}
}

// split are the two calls of an operation that one begins and the other one ends.
func split(m map[string]*action, name, kind string) {
	const file = "pando_mpi_file *f = pando_mpi_file_of(fh);"
	m["File_"+name+kind+"_begin"] = &action{before: file + " if (f) f->split = " + moved(name, true, true) + ".id;"}
	m["File_"+name+kind+"_end"] = &action{
		before:  wanted + " pando_mpi_transfer x = pando_mpi_file_split(pando_mpi_file_of(fh));",
		after:   "pando_mpi_file_moved(x, outcome, got, LANGUAGE);",
		always:  true,
		replace: map[string]string{"status": "got"},
	}
}

// moved begins an operation.
func moved(name string, together, later bool) string {
	var flags []string
	if later {
		flags = append(flags, "PANDO_MPI_LATER")
	}
	if together {
		flags = append(flags, "PANDO_MPI_TOGETHER")
	}
	if flags == nil {
		flags = []string{"PANDO_MPI_ALONE"}
	}
	return "pando_mpi_file_begin(pando_mpi_file_of(fh), PANDO_MPI_" + strings.ToUpper(name) + ", " + strings.Join(flags, " | ") + ", " + length + ")"
}
