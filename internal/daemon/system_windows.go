package daemon

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// lockedByte is far beyond the record: on Windows others cannot read a locked range.
func lockedByte() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 20} }

// lockFile retries for a moment, because lockHolder briefly takes the lock.
func lockFile(ctx context.Context, f *os.File) error {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	var err error
	for range 20 {
		err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, lockedByte())
		if !errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
	return errHeld
}

// lockHolder tries to take the lock. Windows does not report its holder, so the record, which only
// the holder writes, names it.
func lockHolder(path string) (process int, held bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, lockedByte())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		r, _ := readRecord(path)
		return r.PID, true, nil
	}
	if err != nil {
		return 0, false, err
	}
	return 0, false, windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockedByte())
}

// TryLock locks a file until it is closed, unless it is locked through another handle in this or
// another process. It locks one byte far beyond the data, which others could not read otherwise.
func TryLock(f *os.File) (held bool, err error) {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 20})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// errorsToLog says whether a server's standard error may be its log file although that is renamed:
// Windows cannot rename open files.
const errorsToLog = false

// detached starts a process without the console, so that its end and interrupts do not reach it.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// askToEnd asks a process to end; may is false if the system has no way to do so. Windows
// interrupts only processes on the same console, so OperationStop is used there.
func askToEnd(*os.Process) (may bool, err error) { return false, nil }
