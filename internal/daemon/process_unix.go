//go:build unix

package daemon

import (
	"os"
	"syscall"
)

// errorsToLog says that a server's standard error may be its log file although that is
// renamed.
const errorsToLog = true

// apart puts a process into a session of its own: what the terminal sends its programs,
// and its end, no longer reach it.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// askToEnd asks a process to end; may is false where the system has no way to.
func askToEnd(p *os.Process) (may bool, err error) { return true, p.Signal(syscall.SIGTERM) }
