//go:build unix

package daemon

import (
	"errors"
	"os"
	"syscall"
)

// TryLock takes the lock of a file until it is closed, if nobody has it: no other opening
// of the file either, in this process or elsewhere. A file system without locks has nobody
// wait.
func TryLock(f *os.File) (held bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, syscall.EINTR):
		return false, nil
	case errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOSYS):
		return true, nil
	}
	return err == nil, err
}
