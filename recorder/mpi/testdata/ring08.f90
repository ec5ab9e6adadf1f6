! Messages and a collective operation by the module mpi_f08; error codes are left out.
program ring
  use mpi_f08
  implicit none
  integer :: rank, ranks, next, before, i, out(2), in(2)
  logical :: done
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  out = rank
  do i = 1, 100
    call MPI_Sendrecv(out, 2, MPI_INTEGER, next, 1, in, 2, MPI_INTEGER, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Irecv(in, 2, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(out, 2, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_Isend(out, 2, MPI_INTEGER, next, 3, MPI_COMM_WORLD, requests(1))
    call MPI_Recv(in, 2, MPI_INTEGER, before, 3, MPI_COMM_WORLD, status)
    if (status%MPI_SOURCE /= before) stop 1
    done = .false.
    do while (.not. done)
      call MPI_Test(requests(1), done, MPI_STATUS_IGNORE)
    end do
  end do
  call MPI_Bcast(out, 2, MPI_INTEGER, 1, MPI_COMM_WORLD)
  call MPI_Allreduce(MPI_IN_PLACE, out, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
end program
