//go:build unix

package daemon

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
)

// POSIX locks of the whole file: unlike flock they report the holder, and checking takes nothing.

func lockFile(_ context.Context, f *os.File) error {
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart}
	err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &lock)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return errHeld
	}
	return err
}

// lockHolder returns the process that holds the lock; 0 if it has no number here.
func lockHolder(path string) (process int, held bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	lock := syscall.Flock_t{Type: syscall.F_RDLCK, Whence: io.SeekStart}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_GETLK, &lock); err != nil {
		return 0, false, err
	}
	if lock.Type == syscall.F_UNLCK {
		return 0, false, nil
	}
	// Linux reports 0 for a process in another container, and -1 for a lock without a process:
	// both would signal whole groups.
	return max(0, int(lock.Pid)), true, nil
}
