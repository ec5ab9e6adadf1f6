package columnar

// placeColumns are the columns of the place where something happened.
func placeColumns[R any](prefix, subject string, at func(*R) *place) []column[R] {
	return []column[R]{
		number(prefix+"location", "", "id of the location"+subject,
			func(_ *catalog, r *R) int64 { return int64(at(r).id) }).like(repeats),
		named(prefix+"location_name", "its name",
			func(x *catalog) *names { return &x.locationNames }, func(_ *catalog, r *R) int32 { return at(r).name }),
		numberOrNull(prefix+"process", "", "id of the location group that the location belongs to",
			func(_ *catalog, r *R) (int64, bool) { return at(r).process, at(r).inProcess }).like(repeats),
		named(prefix+"process_name", "its name",
			func(x *catalog) *names { return &x.processNames }, func(_ *catalog, r *R) int32 { return at(r).processName }),
		numberOrNull(prefix+"thread", "", "index of the location among those of its process, from 0",
			func(_ *catalog, r *R) (int64, bool) { return at(r).thread, at(r).inProcess }).like(repeats),
		numberOrNull(prefix+"rank", "", "MPI rank of the process in the group of all MPI locations (COMM_WORLD, as a rule)",
			func(_ *catalog, r *R) (int64, bool) { return at(r).rank, at(r).rank >= 0 }).like(repeats),
	}
}
