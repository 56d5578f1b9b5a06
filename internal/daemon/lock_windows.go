package daemon

import (
	"context"
	"errors"
	"os"
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
