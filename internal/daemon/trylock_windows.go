package daemon

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock takes the lock of a file until it is closed, if nobody has it: no other opening
// of the file either, in this process or elsewhere. It is of one byte far behind what is
// written, which nobody else could read.
func TryLock(f *os.File) (held bool, err error) {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1 << 20})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
