package clog2

import "strings"

// coreStates are the names of MPE's states for the functions of MPI, in order of their numbers. A process whose log was
// never finished did not define them.
var coreStates = names(`
	Allgather Allgatherv Allreduce Alltoall Alltoallv Barrier Bcast Gather Gatherv Op_create Op_free Reduce_scatter Reduce Scan
	Scatter Scatterv Attr_delete Attr_get Attr_put Comm_compare Comm_create Comm_dup Comm_free Comm_group Comm_rank
	Comm_remote_group Comm_remote_size Comm_size Comm_split Comm_test_inter Group_compare Group_difference Group_excl Group_free
	Group_incl Group_intersection Group_rank Group_range_excl Group_range_incl Group_size Group_translate_ranks Group_union
	Intercomm_create Intercomm_merge Keyval_create Keyval_free Abort Error_class Errhandler_create Errhandler_free
	Errhandler_get Error_string Errhandler_set Get_processor_name Initialized Wtick Wtime Address Bsend Bsend_init Buffer_attach
	Buffer_detach Cancel Request_free Recv_init Send_init Get_elements Get_count Ibsend Iprobe Irecv Irsend Isend Issend Pack
	Pack_size Probe Recv Rsend Rsend_init Send Sendrecv Sendrecv_replace Ssend Ssend_init Start Startall Test Testall Testany
	Test_cancelled Testsome Type_commit Type_contiguous Type_extent Type_free Type_hindexed Type_hvector Type_indexed Type_lb
	Type_size Type_struct Type_ub Type_vector Unpack Wait Waitall Waitany Waitsome Cart_coords Cart_create Cart_get Cart_map
	Cart_shift Cartdim_get Dims_create Graph_create Graph_get Graph_map Graph_neighbors Graph_neighbors_count Graphdims_get
	Topo_test Recv_idle Cart_rank Cart_sub`)

// otherStates are the names of further states of MPE.
var otherStates = map[int64]string{250: "MPE_Isend_waited", 251: "MPE_Irecv_waited", 280: "CLOG_Buffer_write2disk"}

func names(functions string) (list []string) {
	for _, f := range strings.Fields(functions) {
		list = append(list, "MPI_"+f)
	}
	return list
}
