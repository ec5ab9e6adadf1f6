! pando_record: a running Fortran program writes its own trace, in memory of a fixed size.
!
!     use pando_record
!     type(pando_region), save :: solve = pando_region("solve")
!     integer :: status
!     call pando_start(status=status)        ! PANDO_DIR, PANDO_BUDGET, ... say where and how much
!     call pando_enter(solve)
!     ...
!     call pando_leave()
!     call pando_close()                     ! or the end of the program
!
! It stands on pando_record.h by way of pando_fortran.c; translate all three together:
!
!     gcc -O2 -c pando_fortran.c && gfortran -O2 -c pando_record.f90 && gfortran -O2 program.f90 pando_record.o pando_fortran.o
!
! It needs Fortran 2008. What the header says of threads, signals and budgets holds here, too: each OpenMP thread is a location
! of its own.
module pando_record
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_int16_t, c_int32_t, c_int64_t, c_size_t, c_ptr, c_null_char, c_null_ptr, &
    c_associated, c_f_pointer
  implicit none
  private
  public :: pando_region, pando_metric, pando_start, pando_close, pando_error, pando_thread, pando_enter, pando_leave
  public :: pando_send, pando_receive, pando_collective_begin, pando_collective_end, pando_value, pando_event
  public :: pando_communicator, pando_below
  public :: pando_keep, pando_last, pando_stop, pando_world, pando_no_root

  ! What is given up when the budget is used up: the shortest calls, the oldest events, or what comes after.
  integer(c_int), parameter :: pando_keep = 1, pando_last = 2, pando_stop = 3
  ! The communicator of all ranks of the run.
  integer(c_int32_t), parameter :: pando_world = 0
  ! The root of a collective operation that has none.
  integer(c_int32_t), parameter :: pando_no_root = -1

  ! A region: what calls are of. The first event gives it its handle, so a variable of this type must keep its value (save).
  type :: pando_region
    character(len=64) :: name = ""
    character(len=128) :: file = ""
    integer :: line = 0
    type(c_ptr) :: handle = c_null_ptr
  end type

  ! A metric of unsigned numbers.
  type :: pando_metric
    character(len=64) :: name = ""
    character(len=16) :: unit = ""
    type(c_ptr) :: handle = c_null_ptr
  end type

  interface
    integer(c_int) function start_c(dir, budget, mode, rank, ranks) bind(C, name="pando_fortran_start")
      import :: c_char, c_int, c_int64_t
      character(kind=c_char), intent(in) :: dir(*)
      integer(c_int64_t), value :: budget
      integer(c_int), value :: mode, rank, ranks
    end function
    type(c_ptr) function region_c(name, file, line) bind(C, name="pando_fortran_region")
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: name(*), file(*)
      integer(c_int), value :: line
    end function
    type(c_ptr) function metric_c(name, unit) bind(C, name="pando_fortran_metric")
      import :: c_char, c_ptr
      character(kind=c_char), intent(in) :: name(*), unit(*)
    end function
    subroutine enter_c(region) bind(C, name="pando_fortran_enter")
      import :: c_ptr
      type(c_ptr), value :: region
    end subroutine
    subroutine pando_leave() bind(C, name="pando_fortran_leave")
    end subroutine
    subroutine value_c(metric, value) bind(C, name="pando_fortran_value")
      import :: c_ptr, c_int64_t
      type(c_ptr), value :: metric
      integer(c_int64_t), value :: value
    end subroutine
    subroutine thread_c(name) bind(C, name="pando_thread")
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
    subroutine pando_close() bind(C, name="pando_close")
    end subroutine
    ! to and from are ranks in the communicator, from 0.
    subroutine pando_send(communicator, to, tag, bytes) bind(C, name="pando_send")
      import :: c_int32_t, c_int64_t
      integer(c_int32_t), value :: communicator, to, tag
      integer(c_int64_t), value :: bytes
    end subroutine
    subroutine pando_receive(communicator, from, tag, bytes) bind(C, name="pando_receive")
      import :: c_int32_t, c_int64_t
      integer(c_int32_t), value :: communicator, from, tag
      integer(c_int64_t), value :: bytes
    end subroutine
    subroutine pando_collective_begin() bind(C, name="pando_collective_begin")
    end subroutine
    ! operation: the number of OTF2, 0 for a barrier, 11 for an allreduce.
    subroutine pando_collective_end(operation, communicator, root, sent, received) bind(C, name="pando_collective_end")
      import :: c_int32_t, c_int64_t
      integer(c_int32_t), value :: operation, communicator, root
      integer(c_int64_t), value :: sent, received
    end subroutine
    subroutine event_c(kind, words, n) bind(C, name="pando_event")
      import :: c_int, c_int16_t, c_int64_t
      integer(c_int16_t), value :: kind
      integer(c_int64_t), intent(in) :: words(*)
      integer(c_int), value :: n
    end subroutine
    subroutine communicator_c(number, name, members, n) bind(C, name="pando_communicator")
      import :: c_char, c_int32_t, c_size_t
      integer(c_int32_t), value :: number
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int32_t), intent(in) :: members(*)
      integer(c_size_t), value :: n
    end subroutine
    type(c_ptr) function error_c() bind(C, name="pando_error")
      import :: c_ptr
    end function
    ! pando_below is the duration in ticks of the shortest calls that are kept; 0 if all are.
    integer(c_int64_t) function pando_below() bind(C, name="pando_below")
      import :: c_int64_t
    end function
  end interface

contains

  ! text ends a string by a zero, without the spaces behind it.
  pure function text(s) result(c)
    character(len=*), intent(in) :: s
    character(kind=c_char, len=len_trim(s) + 1) :: c
    c = trim(s) // c_null_char
  end function

  ! pando_start begins the recording. What is not given comes from the environment. status is 0, or a number of the system's;
  ! pando_error says more. Before it, and if it fails, events are ignored.
  subroutine pando_start(dir, budget, mode, rank, ranks, status)
    character(len=*), intent(in), optional :: dir
    integer(c_int64_t), intent(in), optional :: budget ! bytes
    integer, intent(in), optional :: mode, rank, ranks
    integer, intent(out), optional :: status
    integer(c_int64_t) :: bytes
    integer(c_int) :: how, own, all, outcome
    bytes = 0
    how = 0
    own = 0
    all = 0
    if (present(budget)) bytes = budget
    if (present(mode)) how = int(mode, c_int)
    if (present(rank)) own = int(rank, c_int)
    if (present(ranks)) all = int(ranks, c_int)
    if (present(dir)) then
      outcome = start_c(text(dir), bytes, how, own, all)
    else
      outcome = start_c(text(""), bytes, how, own, all)
    end if
    if (present(status)) status = outcome
  end subroutine

  ! pando_error says why pando_start failed.
  function pando_error() result(message)
    character(len=:), allocatable :: message
    character(kind=c_char), pointer :: s(:)
    integer :: i
    message = ""
    call c_f_pointer(error_c(), s, [256])
    do i = 1, 256
      if (s(i) == c_null_char) exit
      message = message // s(i)
    end do
  end function

  ! pando_thread names the location of the calling thread, before its first event.
  subroutine pando_thread(name)
    character(len=*), intent(in) :: name
    call thread_c(text(name))
  end subroutine

  subroutine pando_enter(region)
    type(pando_region), intent(inout) :: region
    type(c_ptr) :: handle
    handle = region%handle
    if (.not. c_associated(handle)) then
      handle = region_c(text(region%name), text(region%file), int(region%line, c_int)) ! the same one, whichever thread asks
      region%handle = handle
    end if
    call enter_c(handle)
  end subroutine

  subroutine pando_value(metric, value)
    type(pando_metric), intent(inout) :: metric
    integer(c_int64_t), intent(in) :: value
    type(c_ptr) :: handle
    handle = metric%handle
    if (.not. c_associated(handle)) then
      handle = metric_c(text(metric%name), text(metric%unit))
      metric%handle = handle
    end if
    call value_c(handle, value)
  end subroutine

  ! pando_event records an event of a kind of spec/v1/registry.md, but for those of calls and metrics: one word for each field, at
  ! most 100.
  subroutine pando_event(kind, words)
    integer, intent(in) :: kind
    integer(c_int64_t), intent(in) :: words(:)
    call event_c(int(kind, c_int16_t), words, int(size(words), c_int))
  end subroutine

  ! pando_communicator defines one, other than 0, by the ranks of its members in communicator 0. All processes use the same number
  ! for it.
  subroutine pando_communicator(number, name, members)
    integer(c_int32_t), intent(in) :: number
    character(len=*), intent(in) :: name
    integer(c_int32_t), intent(in) :: members(:)
    call communicator_c(number, text(name), members, int(size(members), c_size_t))
  end subroutine
end module
