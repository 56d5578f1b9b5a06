package setup

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// A file of ours is written and removed whole, but a person may have changed it: switched a server
// off, say. Additions stay where they can be told from ours (Part.Merge), and any other text of a
// person is kept aside before it is replaced or removed.

// Whole is a file that is ours altogether.
func Whole(path string, content []byte, mode fs.FileMode) Part {
	return Part{Path: path, Mode: mode, Set: func([]byte) ([]byte, error) { return content, nil }}
}

// pure reports whether a content is what a file that is ours altogether is made.
func (p Part) pure(content []byte) bool {
	if p.Set == nil { // of an earlier version, which nobody knows any more
		return false
	}
	now, err := p.Set(nil)
	return err == nil && bytes.Equal(now, content)
}

// is reports whether our part is in a file that is ours altogether as it would be put there now.
func (p Part) is(content []byte) bool {
	now, err := p.remade(content)
	return err == nil && bytes.Equal(now, content)
}

// remade is what becomes of a file that is ours altogether and was changed since. One that Merge
// does not understand any more is written anew.
func (p Part) remade(content []byte) ([]byte, error) {
	if p.Merge != nil {
		if after, err := p.Merge(content); err == nil {
			return after, nil
		}
	}
	return p.Set(nil)
}

// moved reports whether a file that is ours altogether says what it would say now, but for the
// version and where the program and its data are: nobody else has written anything in it.
func (p Part) moved(content []byte) bool {
	if p.Merge != nil {
		if after, err := p.Merge(content); err != nil || !p.pure(after) {
			return false // a line that names the program may say more
		}
	}
	now, err := p.Set(nil)
	return err == nil && (p.Ours == nil || p.Ours(content)) && varied(content, now)
}

// varied reports whether two texts differ only in where the program is, and in the version. The rest
// of a line that names these counts: somebody may have written it. programs are those that are
// known by their paths, whatever they are called.
func varied(a, b []byte, programs ...string) bool {
	return bytes.Equal(plain(a, programs), plain(b, programs))
}

// plain is a text without what varies in it.
func plain(text []byte, programs []string) []byte {
	text = version.ReplaceAll(program.ReplaceAll(text, []byte("engram$1")), nil)
	for _, path := range programs {
		if spelt, err := json.Marshal(path); err == nil && path != "" { // as it stands in JSON
			text = bytes.ReplaceAll(text, bytes.Trim(spelt, `"`), []byte("engram"))
		}
	}
	return text
}

var (
	program = regexp.MustCompile("[^\\s\"'`]*[/\\\\]engram(?:\\.exe)?([\\s\"'`]|$)") // as a word
	version = regexp.MustCompile(`(?m)^\s*"version": "[^"]*",?$`)
)

// wrote reports whether some version of us seems to have written a file that is ours
// altogether: a person may have changed it since.
func (p Part) wrote(content []byte) bool {
	if p.Ours != nil {
		return p.Ours(content)
	}
	now, err := p.Set(nil)
	return err == nil && alike(now, content)
}

// alike reports whether two texts have most of their lines in common, wherever these stand.
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

// changeOwn is what becomes of a file of ours that is there, or of what is in its place.
//
// CodeConflict for somebody else's, unless the part yields.
func (s *state) changeOwn(known *wired, p Part, content []byte) (c Change, err error) {
	c = Change{Path: p.Path, Before: content, After: content}
	switch as := known.knows(content); {
	case as && !known.Touched:
		c.After, err = p.Set(content)
	case (known == nil || p.Yields) && !p.is(content) && !p.wrote(content):
		if c.Taken = p.Yields; !c.Taken {
			err = engram.Errorf(engram.CodeConflict, "somebody else's file is in the place of engram's").
				WithHint("look at it, and move it away if it is not needed; nothing was changed")
		}
	default:
		c.After, err = p.remade(content)
		if !as && s.loses(known, p, content, c.After) {
			c.Kept = s.aside(p.Path, content)
		}
	}
	return c, err
}

// loses reports whether something that a person may have written into a file of ours is not in what
// it becomes. Without a record a text comes back by an undo: it is what was there before.
func (s *state) loses(known *wired, p Part, content, after []byte) bool {
	return (known != nil || p.Merge != nil) && !varied(content, after, slices.Concat(s.Programs, []string{s.program})...)
}

// restoreOwn is what becomes of a file of ours that is taken out, and was changed since; before is
// what it was, nil for none, or when that is lost. left says why it stays.
func (s *state) restoreOwn(p Part, content, before []byte) (c Change, left string) {
	c = Change{Path: p.Path, Before: content, After: content}
	switch {
	case p.Set == nil:
		return c, "it was changed since engram wrote it"
	case p.Yields && !p.wrote(content):
		return c, "it is somebody else's by now"
	}
	if c.After = before; !p.pure(content) {
		c.Kept = s.aside(p.Path, content)
	}
	return c, ""
}

// editedName is the folder of texts that persons wrote into files of ours.
const editedName = "edited"

// aside is where a text is kept that a person wrote into a file of ours: under the name of the
// file, so that it is found, and with its sum, for there may be several.
func (s *state) aside(path string, content []byte) string {
	return filepath.Join(s.dir, editedName, sum(content)[:8]+"-"+filepath.Base(path))
}
