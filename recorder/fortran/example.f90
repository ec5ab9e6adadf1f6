! Calls in calls, a message, a collective operation, a metric; threads of OpenMP; or what pando_start says when it fails.
program solve
  use, intrinsic :: iso_c_binding, only: c_int64_t
  use pando_record
  implicit none
  type(pando_region), save :: outer = pando_region("outer", "solve.f90", 12)
  type(pando_region), save :: inner = pando_region("inner")
  type(pando_metric), save :: load = pando_metric("load", "1")
  integer :: i, n, status
  integer(c_int64_t) :: below
  call pando_enter(outer) ! nothing records yet
  call pando_leave()
  call pando_start(mode=pando_keep, rank=0, ranks=1, status=status)
  if (status /= 0) then
    print "(a)", pando_error()
    stop 1
  end if
  call pando_thread("the first")
  call pando_communicator(3, "pair  ", [0])
  call pando_enter(outer)
  do i = 1, 1000
    call pando_enter(inner)
    if (mod(i, 100) == 0) call pando_value(load, int(i, c_int64_t))
    call pando_leave()
  end do
  call pando_send(3, 0, 7, 64_c_int64_t)
  call pando_receive(3, 0, 7, 64_c_int64_t)
  call pando_collective_begin()
  call pando_collective_end(11, pando_world, pando_no_root, 8_c_int64_t, 8_c_int64_t)
  call pando_event(11, [1_c_int64_t])
  n = 0
  !$omp parallel do num_threads(3) reduction(+:n)
  do i = 1, 300
    call pando_enter(inner)
    n = n + 1
    call pando_leave()
  end do
  call pando_leave()
  below = pando_below() ! nothing was given up
  if (n /= 300 .or. below /= 0) stop 2
end program
