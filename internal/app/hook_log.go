package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/hook"
)

// maxHookLog is how large hook.log may become, in bytes; then it begins anew.
const maxHookLog = 64 << 10

// hookLog is where it stands what a hook could not do, and why: hook.log in the data
// directory. Nothing of what people or agents have said is in it.
type hookLog struct{ dir, agent, event string }

// add adds a line, if it can: a hook has nobody to complain to.
func (l hookLog) add(what string, err error) {
	kind, _ := hook.KindOf(l.event)
	agent := l.agent
	if !hook.Knows(agent) { // a command line may have anything in it
		agent = "another"
	}
	line := fmt.Sprintf("%s %s %s %s: %s\n", time.Now().UTC().Format(time.RFC3339), agent, kind, what, reason(err))
	path := filepath.Join(l.dir, "hook.log")
	flags := os.O_WRONLY | os.O_APPEND | os.O_CREATE
	if size(path) > maxHookLog {
		flags |= os.O_TRUNC
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(line)
	_ = f.Close()
}

// reason is an error without the words of it that may come from anywhere.
func reason(err error) string {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return "out of time"
	}
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number.Error()
	}
	if err == nil {
		return "unknown"
	}
	return string(engram.CodeOf(err))
}
