// Package backfill reads the transcripts that coding agents leave on this machine and says
// what of them may be worth a memory: claude.go and opencode.go know how each of
// them writes; which texts are proposed is decided by the rules of package capture.
//
// Transcripts are only read, line by line, with a bounded amount of memory, and never as
// anything but data: a line that cannot be read is counted and passed over, what a newer
// agent writes and this package does not know is passed over, and links, pipes and whatever
// else is no plain file is left alone.
package backfill

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/capture"
)

// Source is an agent whose transcripts can be read.
type Source string

// The sources.
const (
	ClaudeCode Source = "claude-code" // ~/.claude/projects/*/*.jsonl
	Codex      Source = "codex"       // ~/.codex/sessions/**/rollout-*.jsonl
	OpenCode   Source = "opencode"    // ~/.local/share/opencode: opencode.db, or storage/ of older versions
)

// Session is what is known of a transcript before it is read.
type Session struct {
	ID        string    // the agent's own; the file's name where it says none
	Directory string    // where the agent was started; "" when it does not say
	Path      string    // the file, for a person
	ChangedAt time.Time // when something was last written to it
}

// Options say what is read. Wants and Found are required.
type Options struct {
	// Path is the folder of the agent's transcripts, or one transcript, or a database.
	Path string
	// Since leaves out what happened before; the zero time is everything.
	Since time.Time
	// Wants says whether a session is read; it is asked once for each, as soon as its folder is
	// known.
	Wants func(Session) (bool, error)
	// Found is given what was found in a session, a hundred at a time or so, and says whether to go
	// on. The session is the same for all of one transcript.
	Found func(Session, []capture.Proposal) (more bool, err error)
	// Clean takes out of texts what must not be kept; nil: nothing.
	Clean func(string) string
	// Database gives the parts of OpenCode's database (replica/foreign); nil: there is none
	// that could be read.
	Database Database
	// Progress is told now and then how many bytes were read; nil: nobody is.
	Progress func(read int64)
}

// Database gives the parts of the sessions that wants has, until part returns false: the
// message and the part as JSON.
type Database func(ctx context.Context, path string, wants func(id, directory string, changed time.Time) bool, part func(message, part string, at time.Time) (more bool)) error

// Read says what was read.
type Read struct {
	Transcripts int    // that were read, in whole or in part
	Bytes       int64  // of them; of a database what its parts have
	Notes       []Note // what was passed over and why, the first MostNotes
}

// Note is about one file.
type Note struct {
	Path   string
	Reason string
}

// MostNotes is how many notes are kept.
const MostNotes = 100

// byAge orders what happened last first, which is what a person remembers and a limit should not
// cut off; of what happened at once, by name.
func byAge(a, b time.Time, nameA, nameB string) int {
	return cmp.Or(b.Compare(a), strings.Compare(nameA, nameB))
}

// counted is a number of things, with what they are called.
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

// Run reads transcripts, the one that was changed last first. CodeNotFound where Path is
// not, CodeInvalid for a source that does not exist and for what is no transcript.
func Run(ctx context.Context, s Source, o Options) (Read, error) {
	switch s {
	case ClaudeCode:
		return readLines(ctx, o, claudeFiles, func() format { return &claude{} })
	case Codex:
		return readLines(ctx, o, codexFiles, func() format { return &codex{} })
	case OpenCode:
		return readOpenCode(ctx, o)
	}
	return Read{}, engram.Errorf(engram.CodeInvalid, "there are no transcripts of %q", string(s)).WithHint("claude-code, codex or opencode")
}

// listener hears the turns of one transcript and collects what is found.
type listener struct {
	o       Options
	session Session
	rules   capture.Transcript
	found   []capture.Proposal
	asked   bool // whether it is wanted
	wanted  bool
}

func (o Options) listen(s Session) *listener {
	return &listener{o: o, session: s, rules: capture.Transcript{Clean: o.Clean}}
}

// wants asks whether the session is read, once.
func (l *listener) wants() (bool, error) {
	if l.asked {
		return l.wanted, nil
	}
	var err error
	l.wanted, err = l.o.Wants(l.session)
	l.asked = true
	return l.wanted, err
}

// hear takes a turn.
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

// portion is about how much is found before it is handed over: a transcript may be of any length.
const portion = 100

// full hands over what was found when it is much, unless the session is not wanted.
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

// end hands over the rest of what was found.
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

// call is the use of a tool whose result has not come yet.
type call struct{ command, edited string }

// calls are those that are open, by their ids.
type calls map[string]call

// maxCalls is how many may be open: in a transcript of which parts were cut off results
// never come.
const maxCalls = 1000

func (c *calls) begin(id string, one call) {
	if one == (call{}) || id == "" {
		return
	}
	if *c == nil || len(*c) >= maxCalls {
		*c = calls{}
	}
	(*c)[id] = one
}

func (c *calls) end(id string) (call, bool) {
	one, ok := (*c)[id]
	delete(*c, id)
	return one, ok
}

// loose is a text where one is expected, and "" where something else stands.
type loose string

// UnmarshalJSON implements json.Unmarshaler.
func (l *loose) UnmarshalJSON(b []byte) error {
	var s string
	if json.Unmarshal(b, &s) == nil {
		*l = loose(s)
	}
	return nil
}

// textOf is the whole text of a content, which is a text or a list of blocks: private spans are looked
// for before anything is cut off. The bounds of a line (maxLine) bound it.
func textOf(content json.RawMessage) string {
	if len(content) == 0 {
		return ""
	}
	var text string
	if content[0] == '"' {
		if json.Unmarshal(content, &text) != nil {
			return ""
		}
		return text
	}
	var blocks []struct {
		Text loose `json:"text"`
	}
	if json.Unmarshal(content, &blocks) != nil {
		return ""
	}
	var b strings.Builder
	for _, one := range blocks {
		b.WriteString(string(one.Text))
	}
	return b.String()
}

// typed reports whether a person may have typed a text. What agents put into the person's mouth begins
// with a tag, the name of a file of instructions or a remark about itself.
func typed(text string) bool {
	text = strings.TrimSpace(text)
	for _, head := range []string{"# AGENTS.md", "# CLAUDE.md", "Caveat: ", "[Request interrupted", "This session is being continued", "<<", "Base directory for this skill:", "Stop hook feedback:"} {
		if strings.HasPrefix(text, head) {
			return false
		}
	}
	if strings.HasPrefix(text, "<") {
		end := strings.IndexFunc(text[1:], func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '_' })
		return end <= 0 || strings.HasPrefix(text, "<private")
	}
	return text != ""
}

// below is a path as seen from a folder that it lies in; the path itself elsewhere.
func below(dir, path string) string {
	if dir == "" || path == "" || !filepath.IsAbs(path) {
		return path
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return rel
}

// errNoJSON is what is wrong with a line that begins or ends as none does.
var errNoJSON = errors.New("no JSON, or cut off")

// notJSON is what is wrong with a line, without what stands in it.
func notJSON(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return errNoJSON
	case errors.As(err, &kind):
		return errors.New("a field " + kind.Field + " of another kind")
	}
	return errors.New("no JSON")
}

// moment reads a time; the zero time where none stands.
func moment(s loose) time.Time {
	at, err := time.Parse(time.RFC3339, string(s))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}
