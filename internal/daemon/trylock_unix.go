//go:build unix

package daemon

import (
	"errors"
	"os"
	"syscall"
)

// TryLock locks a file until it is closed, unless it is locked through another handle in this or
// another process. On a file system without locks it always succeeds.
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
