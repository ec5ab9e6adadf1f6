// Command mpi prints the source of libpando-mpi.so, which records the MPI calls of a program that is not changed: one file of C that any MPI's own
// compiler translates.
//
//	go run ./recorder/mpi > pando_mpi.c
//	mpicc -shared -fPIC -O2 -o libpando-mpi.so pando_mpi.c
//	mpirun -n 4 env LD_PRELOAD=$PWD/libpando-mpi.so ./a.out
//
// Each function of functions.txt, the functions of MPI 3.1, gets a wrapper for C and one for Fortran (mpif.h and the modules mpi and mpi_f08) around its PMPI_ name. All of them record a call; actions.go and
// collectives.go say what else is recorded of which. What that needs while the program runs is in pando_mpi.h and
// the headers beside it.
package main
