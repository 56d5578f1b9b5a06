package daemon

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

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
