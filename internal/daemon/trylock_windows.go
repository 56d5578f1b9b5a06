package daemon

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

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
