package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/hook"
	"github.com/alanbuscaglia/engram/internal/project"
)

// maxHookLog is how large hook.log may become, in bytes; then it begins anew, beside what was
// in it (hook.log.old).
const maxHookLog = 64 << 10

// hookLog is where it stands what a hook could not do, and why: hook.log in the data
// directory. Nothing of what people or agents have said is in it.
type hookLog struct {
	path, agent string
	begun       time.Time // of the event

	mu sync.Mutex
}

func newHookLog(dir, agent string) *hookLog {
	if !hook.Knows(agent) { // a command line may have anything in it
		agent = "another"
	}
	return &hookLog{path: filepath.Join(dir, "hook.log"), agent: agent, begun: time.Now()}
}

// add adds a line, if it can: a hook has nobody to complain to.
//
//	2026-01-02T03:04:05Z claude-code prompt shop remind: unavailable, the database is busy, after 51 ms
func (l *hookLog) add(t hook.Trouble) {
	now := time.Now()
	what := t.What
	if t.During != "" {
		what += " during " + t.During
	}
	line := fmt.Sprintf("%s %s %s %s %s: %s, after %d ms\n", now.UTC().Format(time.RFC3339), l.agent, cmp.Or(string(t.Kind), "-"),
		cmp.Or(oneWord(t.Project), "-"), what, reason(t.Err), now.Sub(l.begun).Milliseconds())
	l.mu.Lock()
	defer l.mu.Unlock()
	if size(l.path) > maxHookLog {
		_ = os.Rename(l.path, l.path+".old")
	}
	_ = os.MkdirAll(filepath.Dir(l.path), 0o700) // of a wrong command line it may be the first that anybody hears
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(line)
	_ = f.Close()
}

// noSuch adds that a command line names what nobody knows.
func (l *hookLog) noSuch(kind hook.Kind, what, name string) {
	l.add(hook.Trouble{Kind: kind, What: "command-line", Err: engram.Errorf(engram.CodeInvalid, "a hook's command line is wrong").WithCause(hook.NoSuch{What: what, Name: name})})
}

// oneWord is the name of a project as a column of a line.
func oneWord(name string) string { return strings.Join(strings.Fields(name), "_") }

// reason is the code of an error and what is behind it, without the words of it that may come
// from anywhere.
func reason(err error) string {
	if err == nil {
		return "unknown"
	}
	code := string(engram.CodeOf(err))
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		code = "out of time"
	}
	if behind := cause(err); behind != "" {
		return code + ", " + behind
	}
	return code
}

// cause is what is behind an error, in words that are the program's, the system's or SQLite's;
// "" where it has none of these.
func cause(err error) string {
	if text, ok := hook.Plain(err); ok {
		return text
	}
	if e, ok := errors.AsType[*Earlier](err); ok {
		return "the database is of an earlier Engram (" + e.Of + "), engram migrate takes it over"
	}
	if p, ok := errors.AsType[*project.Problem](err); ok {
		return string(p.Reason)
	}
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number.Error()
	}
	if e, ok := errors.AsType[interface {
		error
		Code() int
	}](err); ok {
		return sqliteSays(e.Code())
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf("no JSON at byte %d", e.Offset)
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "JSON without its end"
	case errors.Is(err, io.EOF):
		return "nothing came in"
	}
	return ""
}

// sqliteSays is a result of SQLite in words, with its number (https://sqlite.org/rescode.html).
func sqliteSays(code int) string {
	words := map[int]string{5: "the database is busy", 6: "a table is locked", 8: "the database cannot be written", 10: "the disk failed", 11: "the database is damaged",
		13: "the disk is full", 14: "the database cannot be opened", 19: "a constraint is broken", 26: "the file is no database"}
	return fmt.Sprintf("%s (SQLite %d)", cmp.Or(words[code&0xff], "an error"), code)
}
