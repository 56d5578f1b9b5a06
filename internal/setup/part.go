package setup

import (
	"io/fs"
	"slices"
	"unicode/utf8"
)

// Part is what one file gets.
type Part struct {
	Path string
	// Set puts our part into the content of the file, which is nil when there is none. It
	// returns the content itself when our part is in it already.
	Set func(content []byte) ([]byte, error)
	// Remove takes our part out again; nil for a file that is ours altogether. before is what
	// the file was before the first time, nil for none: what holds nothing any more, and was
	// not there then, goes too. It returns nil when nothing is left that anybody wrote.
	Remove func(content, before []byte) ([]byte, error)
	// Shared names a part that several agents have in one file: it is taken out with the last
	// of them. "" for a part that is the agent's own.
	Shared string
	// Yields leaves a file of the name that somebody else has made, instead of a refusal, for a
	// file without which the rest is still of use. It is for files that are ours altogether.
	Yields bool
	// Merge puts our part into such a file that somebody has changed since, and keeps what they
	// added. It returns the content itself when our part is in it already. nil: what is added
	// cannot be told from what is ours, and the file is written anew.
	Merge func(content []byte) ([]byte, error)
	// Mode is that of a file that is made; 0: 0644.
	Mode fs.FileMode

	// Entries says how each thing of our part stands in a content that Set or Merge understands;
	// nil where neither can tell.
	Entries func(content []byte) []Entry
	// Ours reports whether some version of us wrote a file that is ours altogether, whoever has
	// changed it since; nil: it is known by its lines.
	Ours func(content []byte) bool
	// Instead are the same thing in other files, where an earlier setup may have put it: the agent
	// has moved, or there was another one of its kind. Apply takes it out of there.
	Instead []Part
	// DataDir is the data directory with which our part in a content calls this program; "" for
	// the usual one, and where nothing of ours says one. nil: it never does.
	DataDir func(content []byte) string
	// Limit is how many characters of the file the agent reads; 0: all of them.
	Limit int
}

// Entry is one thing of ours in a file with others, and how it stands there.
type Entry struct {
	Name  string // as a person finds it in the file: mcpServers.engram
	Stand Stand
	// Sure says that nothing but a setup writes such a thing. A server of the name engram may be
	// a person's own, even one that says the same.
	Sure bool
}

// Stand is how an entry stands in a file.
type Stand int

// The stands of an entry.
const (
	Missing Stand = iota
	Theirs        // something of its name that does not call this program
	Older         // it calls this program in another way than it would be written now
	Same
)

// there reports whether our part is in a content as far as one can tell without a record of
// it. sure says that only a setup can have put it there. Of entries that call this program in
// another way than now, some may be a person's own: they count when the agent is surely ours.
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

// over is how many characters of a content the agent does not read.
func (p Part) over(content []byte) int {
	if p.Limit == 0 {
		return 0
	}
	return max(0, utf8.RuneCount(content)-p.Limit)
}
