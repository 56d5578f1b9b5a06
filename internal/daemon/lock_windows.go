package daemon

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// The lock is of one byte far behind the record: on Windows nobody else may read what is
// locked.
func lockedByte() *windows.Overlapped { return &windows.Overlapped{OffsetHigh: 1 << 20} }

// lockFile tries for a moment: who looks whether the lock is held takes it while looking.
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

// lockHolder takes the lock to see whether it can be had. Windows does not say who holds
// it; the record does, which only the holder writes.
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
