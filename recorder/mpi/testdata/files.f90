! A program whose files are known: see TestFilesOfFortran.
program files
  use mpi
  implicit none
  integer :: ierror, rank, ranks, handle, request, status(MPI_STATUS_SIZE), out(10), in(10)
  integer(kind=MPI_OFFSET_KIND) :: mine
  character(len=512) :: path ! has blanks behind it
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call get_command_argument(1, path)
  out = rank
  mine = rank * 40
  call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, handle, ierror)
  call MPI_File_write_at_all(handle, mine, out, 10, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
  call MPI_File_sync(handle, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_File_seek(handle, mine, MPI_SEEK_SET, ierror)
  call MPI_File_read(handle, in, 10, MPI_INTEGER, status, ierror)
  if (any(in /= rank)) error stop "what was read is not what was written"
  call MPI_File_iwrite_at(handle, mine, out, 10, MPI_INTEGER, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_File_close(handle, ierror)
  call MPI_Finalize(ierror)
end program files
