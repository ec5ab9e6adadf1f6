! The program of files.f90 by the module mpi_f08, with an operation in place of each kind: see TestFilesOfFortran2008.
program files
  use mpi_f08
  implicit none
  integer :: rank, ranks, out(10), in(10)
  integer(kind=MPI_OFFSET_KIND) :: mine
  type(MPI_File) :: handle
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  type(MPI_Datatype) :: types(16)
  type(MPI_Comm) :: half
  integer :: counts(16), places(16), i, index, which(2), n
  type(MPI_Request) :: two(2)
  type(MPI_Status) :: statuses(2)
  type(MPI_Message) :: message
  logical :: done
  character(len=512) :: path ! has blanks behind it
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call get_command_argument(1, path)
  out = rank
  mine = rank * 40
  call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, handle)
  call MPI_File_write_at_all(handle, mine, out, 10, MPI_INTEGER, MPI_STATUS_IGNORE)
  call MPI_File_sync(handle)
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_File_seek(handle, mine, MPI_SEEK_SET)
  call MPI_File_read(handle, in, 10, MPI_INTEGER, status)
  if (any(in /= rank)) error stop "what was read is not what was written"
  call MPI_File_iwrite_at(handle, mine, out, 10, MPI_INTEGER, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_File_close(handle)
  ! What stands for something else: a buffer, statuses, no status, a process that is none.
  counts = 1
  places = [(i, i=0, 15)]
  types = MPI_INTEGER
  call MPI_Alltoallv(MPI_IN_PLACE, counts, places, MPI_INTEGER, in, counts, places, MPI_INTEGER, MPI_COMM_WORLD)
  call MPI_Alltoallw(MPI_IN_PLACE, counts, places * 4, types, in, counts, places * 4, types, MPI_COMM_WORLD)
  call MPI_Iallreduce(MPI_IN_PLACE, in, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
  call MPI_Wait(request, status)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
  call MPI_Comm_set_name(half, "half of them")
  call MPI_Send(out, 1, MPI_INTEGER, MPI_PROC_NULL, 1, half)
  call MPI_Isend(out, 3, MPI_INTEGER, mod(rank + 1, ranks), 4, MPI_COMM_WORLD, two(1))
  call MPI_Mprobe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, message, MPI_STATUS_IGNORE)
  call MPI_Mrecv(in, 3, MPI_INTEGER, message, MPI_STATUS_IGNORE)
  call MPI_Irecv(in, 10, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, two(2))
  call MPI_Ssend(out, 0, MPI_INTEGER, MPI_PROC_NULL, 5, MPI_COMM_WORLD)
  call MPI_Send(out(1:9:2), 5, MPI_INTEGER, mod(rank + 1, ranks), 5, MPI_COMM_WORLD)
  call MPI_Waitany(2, two, index, status)
  call MPI_Waitsome(2, two, n, which, statuses)
  if (n < 1) error stop "a request is missing"
  call MPI_Testall(2, two, done, MPI_STATUSES_IGNORE)
  if (.not. done) error stop "requests are left"
  call MPI_Finalize()
end program files
