package setup

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// Part describes what one file gets.
type Part struct {
	Path string
	// Set adds our part to a file's content, or nil; the content itself if it has the part.
	Set func(content []byte) ([]byte, error)
	// Remove removes our part; nil for a file of ours. before is the original content, nil if
	// there was no file: objects that are empty now and did not exist then are removed too. It
	// returns nil if nothing is left.
	Remove func(content, before []byte) ([]byte, error)
	// Shared names a part of several agents in one file, removed with the last; "" if not shared.
	Shared string
	// Yields leaves someone else's file in place instead of failing, for an optional file.
	Yields bool
	// Merge adds our part to a file of ours that a person has changed, and keeps their additions.
	// It returns the content itself if the part is there already. nil: additions cannot be told
	// from our content, and the file is rewritten.
	Merge func(content []byte) ([]byte, error)
	// Mode is that of a new file; 0: 0644.
	Mode fs.FileMode

	// Entries returns the state of each entry of our part in a valid content; nil if unknown.
	Entries func(content []byte) []Entry
	// Ours reports whether we wrote a file, even if it was changed since; nil: compare lines.
	Ours func(content []byte) bool
	// Instead lists other files that may have the same part from an earlier setup: the agent has
	// moved, or has variants. Apply removes it there.
	Instead []Part
	// DataDir returns the data directory with which our part in a content calls this program; ""
	// for the default, or if it names none. nil: it never does.
	DataDir func(content []byte) string
	// Limit is how many characters of the file the agent reads; 0: all of them.
	Limit int
}

// Entry is one entry of ours in a shared file, and its state.
type Entry struct {
	Name  string // name in the file: mcpServers.engram
	Stand Stand
	// Sure means that only a setup writes such an entry; a server may be a person's own.
	Sure bool
}

// Stand is the state of an entry in a file.
type Stand int

// States of an entry.
const (
	Missing Stand = iota
	Theirs        // an entry of that name that does not call this program
	Older         // it calls this program, but in another way than now
	Same
)

// there reports whether our part is in a content, judged without a record. sure means that only a
// setup can have put it there. Entries that call this program in another way may be a person's own:
// they count only if the agent is surely ours.
func (p Part) there(content []byte, agentIsOurs bool) (there, sure bool) {
	switch {
	case content == nil:
	case p.Remove == nil:
		there = p.is(content) || p.moved(content) || p.Merge != nil && p.wrote(content)
		return there, there
	case p.Entries != nil:
		all := p.Entries(content)
		there = slices.ContainsFunc(all, func(e Entry) bool { return e.Stand == Same || e.Stand == Older && (e.Sure || agentIsOurs) })
		sure = slices.ContainsFunc(all, func(e Entry) bool { return e.Sure && e.Stand >= Older })
	}
	return there, sure
}

// over returns how many characters of a content the agent ignores.
func (p Part) over(content []byte) int {
	if p.Limit == 0 {
		return 0
	}
	return max(0, utf8.RuneCount(content)-p.Limit)
}

// A file of ours is written and removed as a whole, but a person may have changed it, for example
// to disable a server. Additions stay if they can be told from our content (Part.Merge); any other
// text of a person is copied aside before it is replaced or removed.

// Whole is a file that belongs to us.
func Whole(path string, content []byte, mode fs.FileMode) Part {
	return Part{Path: path, Mode: mode, Set: func([]byte) ([]byte, error) { return content, nil }}
}

// pure reports whether a content is exactly that of a file of ours.
func (p Part) pure(content []byte) bool {
	if p.Set == nil { // of an earlier version, whose content is unknown
		return false
	}
	now, err := p.Set(nil)
	return err == nil && bytes.Equal(now, content)
}

// is reports whether a file of ours is up to date, apart from additions.
func (p Part) is(content []byte) bool {
	now, err := p.remade(content)
	return err == nil && bytes.Equal(now, content)
}

// remade returns the new content of a changed file of ours, rewritten if Merge cannot parse it.
func (p Part) remade(content []byte) ([]byte, error) {
	if p.Merge != nil {
		if after, err := p.Merge(content); err == nil {
			return after, nil
		}
	}
	return p.Set(nil)
}

// moved reports whether a file of ours differs from its current content only in the version and the
// paths of program and data, so that no person edited it.
func (p Part) moved(content []byte) bool {
	if p.Merge != nil {
		if after, err := p.Merge(content); err != nil || !p.pure(after) {
			return false // a line that names the program may have additions
		}
	}
	now, err := p.Set(nil)
	return err == nil && (p.Ours == nil || p.Ours(content)) && varied(content, now)
}

// varied reports whether two texts differ only in the program's path and the version. The rest of a
// line counts, because a person may have written it. programs are paths that are recognised
// whatever their name.
func varied(a, b []byte, programs ...string) bool {
	return bytes.Equal(plain(a, programs), plain(b, programs))
}

// plain removes what varies from a text.
func plain(text []byte, programs []string) []byte {
	text = version().ReplaceAll(program().ReplaceAll(text, []byte("engram$1")), nil)
	for _, path := range programs {
		if spelt, err := json.Marshal(path); err == nil && path != "" { // as spelt in JSON
			text = bytes.ReplaceAll(text, bytes.Trim(spelt, `"`), []byte("engram"))
		}
	}
	return text
}

var (
	program = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("[^\\s\"'`]*[/\\\\]engram(?:\\.exe)?([\\s\"'`]|$)") }) // as a word
	version = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s*"version": "[^"]*",?$`) })
)

// wrote reports whether a version of us seems to have written a file, even if it was changed since.
func (p Part) wrote(content []byte) bool {
	if p.Ours != nil {
		return p.Ours(content)
	}
	now, err := p.Set(nil)
	return err == nil && alike(now, content)
}

// alike reports whether two texts have most of their lines in common, in any order.
func alike(a, b []byte) bool {
	one, other := linesOf(a), linesOf(b)
	both := 0
	for line := range one {
		if other[line] {
			both++
		}
	}
	return 2*both > max(len(one), len(other))
}

func linesOf(text []byte) map[string]bool {
	all := map[string]bool{}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			all[string(line)] = true
		}
	}
	return all
}

// changeOwn plans the change of an existing file of ours, or of one in its place. CodeConflict for
// a file of someone else, unless the part yields.
func (s *state) changeOwn(known *wired, p Part, content []byte) (c Change, err error) {
	c = Change{Path: p.Path, Before: content, After: content}
	switch as := known.knows(content); {
	case as && !known.Touched:
		c.After, err = p.Set(content)
	case (known == nil || p.Yields) && !p.is(content) && !p.wrote(content):
		if c.Taken = p.Yields; !c.Taken {
			err = engram.Errorf(engram.CodeConflict, "another file has the name of engram's").
				WithHint("move it away if you do not need it; nothing was changed")
		}
	default:
		c.After, err = p.remade(content)
		// A change may lose text that a person wrote. Without a record, Undo restores it as the original.
		if !as && (known != nil || p.Merge != nil) && !varied(content, c.After, slices.Concat(s.Programs, []string{s.program})...) {
			c.Kept = s.aside(p.Path, content)
		}
	}
	return c, err
}

// restoreOwn plans the removal of a file of ours that was changed since; before is its
// original, nil if it had no original or it is lost. left says why it stays.
func (s *state) restoreOwn(p Part, content, before []byte) (c Change, left string) {
	c = Change{Path: p.Path, Before: content, After: content}
	switch {
	case p.Set == nil:
		return c, "it was changed since engram wrote it"
	case p.Yields && !p.wrote(content):
		return c, "it was replaced by another file"
	}
	if c.After = before; !p.pure(content) {
		c.Kept = s.aside(p.Path, content)
	}
	return c, ""
}

// editedName is the folder for texts of persons from files of ours.
const editedName = "edited"

// aside returns the path for a text that a person wrote into a file of ours: named like the file,
// to be found, with its hash, since there may be several.
func (s *state) aside(path string, content []byte) string {
	return filepath.Join(s.dir, editedName, sum(content)[:8]+"-"+filepath.Base(path))
}
