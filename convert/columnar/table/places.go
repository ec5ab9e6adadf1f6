package table

// PlaceColumns are the columns of the place where something happened.
func PlaceColumns[R any](prefix, subject string, at func(*R) *Place) []ColumnOf[R] {
	return []ColumnOf[R]{
		Number(prefix+"location", "", "id of the location"+subject,
			func(_ *Catalog, r *R) int64 { return int64(at(r).ID) }).As(Repeats),
		Named(prefix+"location_name", "its name",
			func(x *Catalog) *Names { return &x.locationNames }, func(_ *Catalog, r *R) int32 { return at(r).name }),
		NumberOrNull(prefix+"process", "", "id of the location group that the location belongs to",
			func(_ *Catalog, r *R) (int64, bool) { return at(r).Process, at(r).InProcess }).As(Repeats),
		Named(prefix+"process_name", "its name",
			func(x *Catalog) *Names { return &x.processNames }, func(_ *Catalog, r *R) int32 { return at(r).processName }),
		NumberOrNull(prefix+"thread", "", "index of the location among those of its process, from 0",
			func(_ *Catalog, r *R) (int64, bool) { return at(r).Thread, at(r).InProcess }).As(Repeats),
		NumberOrNull(prefix+"rank", "", "MPI rank of the process in the group of all MPI locations (COMM_WORLD, as a rule)",
			func(_ *Catalog, r *R) (int64, bool) { return at(r).Rank, at(r).Rank >= 0 }).As(Repeats),
	}
}
