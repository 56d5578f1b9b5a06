//go:build unix

package daemon

import (
	"os"
	"syscall"
)

// errorsToLog says whether a server's standard error may be its log file although that is renamed.
const errorsToLog = true

// detached starts a session, so that signals and the end of the terminal do not reach the process.
func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// askToEnd asks a process to end; may is false if the system has no way to do so.
func askToEnd(p *os.Process) (may bool, err error) { return true, p.Signal(syscall.SIGTERM) }
