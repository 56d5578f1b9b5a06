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

// errorsToLog says whether a server's standard error may be its log file although that is renamed.
const errorsToLog = true

// detached starts a session, so that signals and the end of the terminal do not reach the process.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// askToEnd asks a process to end; may is false if the system has no way to do so.
func askToEnd(p *os.Process) (may bool, err error) { return true, p.Signal(syscall.SIGTERM) }
