package markdown

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Named implements engram.VaultNotes.
func (n *notes) Named() []engram.ID {
	ids := n.Known()
	for id := range maps.Keys(n.strays().of) {
		if n.state.Notes[id] == nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Replicated implements engram.VaultNotes.
func (n *notes) Replicated(id engram.ID) (c engram.ReplicatedNote, ok bool, err error) {
	name, edited, hand, base, tail := "", false, false, (*engram.NoteDigest)(nil), ""
	if x := n.state.Notes[id]; x != nil {
		n.follow(id, x)
		f, stands := n.file(x.Path)
		if !stands {
			return c, false, nil
		}
		left := x.fileState
		if edited, err = n.changedSince(f, &left); err != nil {
			return c, false, err
		}
		said := x.Base
		name, hand, base, tail = f.path, x.Hand, &said, x.Tail
	} else if at := n.strays().of[id]; len(at) > 0 {
		name = at[0]
	} else {
		return c, false, nil
	}
	b, err := n.readFile(name, maxNote)
	if engram.CodeOf(err) == engram.CodeInvalid {
		return c, false, nil // Edits reports it
	}
	if err != nil {
		return c, false, err
	}
	r, bad := readNote(b)
	if bad != nil || r.id != id && !(hand && r.id == "" && !r.foreign) || r.unmerged > 0 || r.end(tail) != nil {
		return c, false, nil // likewise
	}
	e, ok := n.newNote(name, r)
	if !ok {
		return c, false, nil
	}
	e.ID, e.Base = id, base
	return engram.ReplicatedNote{NoteEdit: e, Edited: edited, Memory: replicatedMemory(e, r), Links: n.linksIn(path.Dir(name), r.tail)}, true, nil
}

// replicatedMemory returns the memory that another store's note contains.
func replicatedMemory(e engram.NoteEdit, r read) engram.Memory {
	m := engram.Memory{ID: e.ID, SyncID: r.fixed["sync_id"], Project: e.Project, SessionID: r.fixed["session"], Title: e.Fields.Title, Content: e.Fields.Content,
		Type: cmp.Or(e.Fields.Type, engram.TypeManual), Scope: e.Fields.Scope, TopicKey: e.Fields.TopicKey, Tags: e.Fields.Tags, Importance: e.Fields.Importance, Permanent: e.Fields.Permanent,
		Origin: engram.OriginImport, Strength: 1}
	if slices.Contains(e.Lacks, "scope") {
		m.Scope = engram.ScopeProject
	}
	if slices.Contains(e.Lacks, "importance") {
		m.Importance = engram.DefaultImportance
	}
	for _, t := range timesOf(&m) {
		if at, err := time.Parse(time.RFC3339, r.fixed[t.key]); err == nil {
			*t.at = at.UTC()
		}
	}
	return m
}

// linksIn returns the judged relations below the marker of a note whose other note is in this
// vault.
func (n *notes) linksIn(dir, tail string) []engram.NoteLink {
	words := relationWords()
	var links []engram.NoteLink
	for line := range strings.SplitSeq(tail, "\n") {
		item, is := strings.CutPrefix(line, "- ")
		if !is {
			continue
		}
		how, to, reason, is := n.linkIn(dir, item)
		l, known := words[how]
		if !is || !known || to == "" {
			continue
		}
		l.ID, l.Reason = to, reason
		links = append(links, l)
	}
	return links
}

// linkIn splits a line of relations: how, to which memory, and why.
func (n *notes) linkIn(dir, item string) (how string, to engram.ID, reason string, is bool) {
	how, rest, is := strings.Cut(item, " [[")
	name := ""
	if is {
		if name, rest, is = strings.Cut(rest, "|"); is {
			_, rest, is = strings.Cut(rest, "]]")
		}
		to = n.byStem()[sameFile(path.Base(name))]
	} else if how, rest, is = strings.Cut(item, " ["); is {
		if _, rest, is = strings.Cut(rest, "](<"); is {
			name, rest, is = strings.Cut(rest, ">)")
		}
		name = strings.NewReplacer("%3C", "<", "%3E", ">", "%0A", "\n").Replace(name)
		to = n.byStem()[sameFile(strings.TrimSuffix(path.Base(path.Join(dir, name)), suffix))]
	}
	return how, to, strings.TrimPrefix(rest, " — "), is
}

// byStem maps the names of notes without folder and extension, as Obsidian's links use them, to
// memories.
func (n *notes) byStem() map[string]engram.ID {
	if n.stems != nil {
		return n.stems
	}
	n.stems = map[string]engram.ID{}
	add := func(name string, id engram.ID) {
		n.stems[sameFile(strings.TrimSuffix(path.Base(name), suffix))] = id
	}
	for id, at := range n.strays().of {
		add(at[0], id)
	}
	for id, x := range n.state.Notes {
		add(x.Path, id)
	}
	return n.stems
}
