package daemon

import (
	"os"
	"syscall"

	"golang.org/x/sys/windows"
)

// errorsToLog says that a server's standard error may be its log file although that is
// renamed: Windows renames no file that somebody has open.
const errorsToLog = false

// apart starts a process without the console, whose end and interrupts no longer reach it.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// askToEnd asks a process to end; may is false where the system has no way to. Windows
// interrupts only what shares a console: there a server is asked by VerbStop.
func askToEnd(*os.Process) (may bool, err error) { return false, nil }
