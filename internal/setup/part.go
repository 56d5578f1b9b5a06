package setup

import (
	"io/fs"
	"slices"
	"unicode/utf8"
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
