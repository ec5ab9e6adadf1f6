//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package claim

import (
	"errors"
	"os"
	"syscall"
)

// openFlags keep a file from being another one than it was, and from being waited for.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// closeFirst says that open files cannot be renamed or removed.
const closeFirst = false

// lockFile locks an open file or folder against all others who open it, in this process too. It ends when the file is closed: the lock belongs
// to the open file, which a lock of fcntl does not.
func lockFile(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// lockShared locks it against those who want it for themselves.
func lockShared(f *os.File) error { return flock(f, syscall.LOCK_SH) }

func flock(f *os.File, how int) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB); {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		default: // ENOLCK, ENOTSUP, ENOSYS; EBADF of a network's files that are open for reading only
			return errNoLocks
		}
	}
}
