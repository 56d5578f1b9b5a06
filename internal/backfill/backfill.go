// Package backfill reads the transcripts of coding agents on this machine and proposes memories:
// package transcript knows the formats, the rules of package capture select the texts.
//
// Transcripts are only read, line by line, in bounded memory, and treated as data: unreadable lines
// are counted and skipped, as are unknown entries of newer agents, and links, pipes and other
// special files are ignored.
package backfill

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/backfill/transcript"
	"github.com/alanbuscaglia/engram/internal/capture"
)

// Source is an agent whose transcripts can be read.
type Source string

// Supported sources.
const (
	ClaudeCode Source = "claude-code" // ~/.claude/projects/*/*.jsonl
	Codex      Source = "codex"       // ~/.codex/sessions/**/rollout-*.jsonl
	OpenCode   Source = "opencode"    // ~/.local/share/opencode: opencode.db, or storage/ of older versions
)

// Session describes a transcript before it is read.
type Session struct {
	ID        string    // the agent's id, or the file's name
	Directory string    // folder where the agent was started; "" if unknown
	Path      string    // the file, for display
	ChangedAt time.Time // time of the last write
}

// Options configure Run. Wants and Found are required.
type Options struct {
	// Path is the folder of the transcripts, one transcript, or a database.
	Path string
	// Since excludes earlier events; the zero time includes everything.
	Since time.Time
	// Wants reports whether to read a session; called once, when its folder is known.
	Wants func(Session) (bool, error)
	// Found receives the findings of a session, about a hundred at a time, and returns whether to
	// go on. The session is the same for all of one transcript.
	Found func(Session, []capture.Proposal) (more bool, err error)
	// Clean removes private and secret text; may be nil.
	Clean func(string) string
	// Database reads OpenCode's database (replica/foreign); nil: databases cannot be read.
	Database Database
	// Progress receives the number of bytes read from time to time; may be nil.
	Progress func(read int64)
}

// Database passes the parts of the sessions that wants selects to part, each with its message as
// JSON, until part returns false.
type Database func(ctx context.Context, path string, wants func(id, directory string, changed time.Time) bool, part func(message, part string, at time.Time) (more bool)) error

// Read is the result of Run.
type Read struct {
	Transcripts int    // transcripts read, completely or in part
	Bytes       int64  // their size; for a database that of the parts
	Notes       []Note // what was skipped and why, the first MostNotes
}

// Note is about one file.
type Note struct {
	Path   string
	Reason string
}

// MostNotes limits the notes.
const MostNotes = 100

// byAge sorts the latest first, which a person remembers and a limit should not cut off; equal
// times by name.
func byAge(a, b time.Time, nameA, nameB string) int {
	return cmp.Or(b.Compare(a), strings.Compare(nameA, nameB))
}

func counted(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + more
}

func (r *Read) note(path, reason string) {
	if len(r.Notes) < MostNotes {
		r.Notes = append(r.Notes, Note{path, reason})
	}
}

// Run reads transcripts, the latest changed first. CodeNotFound if Path does not exist, CodeInvalid
// for an unknown source and for a file that is not a transcript.
func Run(ctx context.Context, s Source, o Options) (Read, error) {
	switch s {
	case ClaudeCode:
		return readLines(ctx, o, claudeFiles, func() format { return &transcript.Claude{} })
	case Codex:
		return readLines(ctx, o, codexFiles, func() format { return &transcript.Codex{} })
	case OpenCode:
		return readOpenCode(ctx, o)
	}
	return Read{}, engram.Errorf(engram.CodeInvalid, "cannot read transcripts of %q", string(s)).WithHint("use claude-code, codex or opencode")
}

// listener collects the findings of one transcript.
type listener struct {
	o       Options
	session Session
	rules   capture.Transcript
	found   []capture.Proposal
	asked   bool // Wants was called
	wanted  bool
}

func (o Options) listen(s Session) *listener {
	return &listener{o: o, session: s, rules: capture.Transcript{Clean: o.Clean}}
}

func (l *listener) wants() (bool, error) {
	if l.asked {
		return l.wanted, nil
	}
	var err error
	l.wanted, err = l.o.Wants(l.session)
	l.asked = true
	return l.wanted, err
}

func (l *listener) hear(t capture.Turn) { l.keep(l.rules.Add(t)) }

func (l *listener) keep(all []capture.Proposal) {
	for _, p := range all {
		if p.At.IsZero() {
			p.At = l.session.ChangedAt
		}
		if !p.At.Before(l.o.Since) {
			l.found = append(l.found, p)
		}
	}
}

// portion is about how many findings are passed on at once: transcripts may have any length.
const portion = 100

// full passes on many findings, or drops them if the session is not wanted.
func (l *listener) full() (more bool, err error) {
	if len(l.found) < portion {
		return true, nil
	}
	if wanted, err := l.wants(); err != nil || !wanted {
		l.found = nil
		return err == nil, err
	}
	return l.give()
}

func (l *listener) end() (more bool, err error) {
	l.keep(l.rules.End())
	return l.give()
}

func (l *listener) give() (more bool, err error) {
	if len(l.found) == 0 {
		return true, nil
	}
	all := l.found
	l.found = nil
	return l.o.Found(l.session, all)
}
