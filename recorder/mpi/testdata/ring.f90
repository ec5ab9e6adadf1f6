! The same for Fortran: messages, waiting in all ways, communicators, MPI_IN_PLACE and texts.
program ring
  implicit none
  include 'mpif.h'
  integer, parameter :: each = 70
  integer ierr, me, n, next, before, i, j, requests(2*each), half, have, indices(2*each), status(MPI_STATUS_SIZE), length
  logical done
  integer counts(64), places(64), out(64), in(64)
  character(len=64) name
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  next = mod(me + 1, n)
  before = mod(me + n - 1, n)
  out = me
  do i = 1, 100
    call MPI_Sendrecv(out, 2, MPI_INTEGER, next, 1, in, 2, MPI_INTEGER, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    if (in(1) /= before) stop 3
    call MPI_Irecv(in, 2, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Isend(out, 2, MPI_INTEGER, next, 2, MPI_COMM_WORLD, requests(2), ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call MPI_Isend(out, 2, MPI_INTEGER, next, 3, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Recv(in, 2, MPI_INTEGER, before, 3, MPI_COMM_WORLD, status, ierr)
    if (status(MPI_SOURCE) /= before) stop 4
    done = .false.
    do while (.not. done)
      call MPI_Test(requests(1), done, MPI_STATUS_IGNORE, ierr)
    end do
  end do
  do i = 1, each
    call MPI_Irecv(in, 2, MPI_INTEGER, before, 10 + i, MPI_COMM_WORLD, requests(i), ierr)
    call MPI_Isend(out, 2, MPI_INTEGER, next, 10 + i, MPI_COMM_WORLD, requests(each + i), ierr)
  end do
  i = 0
  do while (i < each)
    call MPI_Waitsome(2*each, requests, have, indices, MPI_STATUSES_IGNORE, ierr)
    i = i + have
  end do
  do while (i < 2*each)
    call MPI_Waitany(2*each, requests, j, MPI_STATUS_IGNORE, ierr)
    i = i + 1
  end do
  call MPI_Comm_split(MPI_COMM_WORLD, mod(me, 2), -me, half, ierr)
  call MPI_Comm_set_name(half, 'half of them', ierr)
  call MPI_Comm_get_name(half, name, length, ierr)
  if (name(1:length) /= 'half of them') stop 5
  call MPI_Bcast(out, 3, MPI_INTEGER, 0, half, ierr)
  out(1:3) = 1
  call MPI_Allreduce(MPI_IN_PLACE, out, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (out(3) /= n) stop 6
  counts = 2
  do i = 1, n
    places(i) = 2*(i - 1)
  end do
  call MPI_Alltoallv(MPI_IN_PLACE, 0, 0, 0, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
