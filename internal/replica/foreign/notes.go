package foreign

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// basic-memory keeps a folder of Markdown notes: front matter (title, type, tags, permalink and
// custom fields), observations as list items ("- [category] text #tag (context)"), relations as
// items with a wiki link ("- relation_type [[Target]] (context)"), and links in prose (links_to). A
// link may lead to a note that does not exist yet.
//
// A note becomes one memory with the note as its content, without front matter; observations stay
// in it. Its name is the permalink, or the path.
//
// Source: basicmachines-co/basic-memory, NOTE-FORMAT.md.

func openNotes(name string, info fs.FileInfo, o Options) (engram.Source, error) {
	f, err := openFolder(name, info)
	if err != nil {
		return nil, err
	}
	n := &notes{papers: newPapers(BasicMemory, f, o.home()), patterns: newPatterns(), called: pageNames{}}
	n.said.naming = n.naming
	n.source.each = n.each
	return n, nil
}

type notes struct {
	papers
	patterns patterns
	called   pageNames
	said     relations
	open     []openLink // resolved after all notes are read
}

type openLink struct {
	wikiLink
	from, item string
	page       page
}

func (n *notes) each(ctx context.Context, yield func(engram.Record) bool) error {
	paths, err := n.folder.find(ctx, ordinary, func(p string) bool { return isMarkdown(p) && !hidden(p) })
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return nothing("note", "name the folder of a basic-memory project, such as ~/basic-memory")
	}
	stopped := false
	err = n.pages(ctx, paths, yield, func(pg page) bool {
		stopped = !yield(n.noteOf(pg))
		return !stopped
	})
	if err != nil || stopped {
		return err
	}
	n.relateAll()
	n.said.each(yield)
	return nil
}

// noteOf returns a note as a memory.
func (n *notes) noteOf(pg page) engram.Record {
	m, body, line := split(pg.text)
	title := cmp.Or(m.first("title"), pg.stem())
	plain := strings.TrimSuffix(pg.path, path.Ext(pg.path))
	id := cmp.Or(m.first("permalink"), nameKey(plain))
	if own := n.own(id); own != id {
		n.note(pg.path, "another note has the permalink "+id+": it is named "+own+" here")
		id = own
	}
	sync := n.memory(id)
	for _, name := range []string{title, id, plain, pg.stem()} {
		n.called.call(name, sync)
	}
	s := n.patterns.parse(body, line)
	for _, l := range s.links {
		n.open = append(n.open, openLink{l, sync, fmt.Sprintf("%s:%d", pg.path, l.line), page{at: pg.at}})
	}
	kind := strings.ToLower(m.first("type"))
	more := map[string]any{}
	if kind != "" {
		more["source_type"] = kind
	}
	if len(s.categories) > 0 {
		more["categories"] = listed(s.categories)
	}
	if fields := fieldsOf(m, "title", "type", "tags", "permalink"); len(fields) > 0 {
		more["front_matter"] = fields
	}
	created := when(m.first("created", "created_at", "date"))
	updated := when(m.first("modified", "updated", "updated_at"))
	origin := n.origin
	if updated.IsZero() {
		updated, origin = pg.at, n.dated
	}
	content := cmp.Or(strings.TrimSpace(withoutTitle(body, title)), title)
	r := newMemory(engram.Memory{SyncID: sync, Project: n.project, Type: noteType(kind, s.categories), Title: title, Content: content,
		Tags: tagsOf(append(listOf(m, "tags"), s.tags...)), CreatedAt: cmp.Or(created, updated), UpdatedAt: updated, Metadata: origin(id, pg.path, more)})
	r.Item = pg.path
	return r
}

// noteType returns the type of a note, or, for the usual "note", the common type of its
// observations.
func noteType(kind string, categories []string) engram.Type {
	if kind != "" && kind != "note" {
		return engram.Type(kind)
	}
	if len(categories) == 1 {
		return typeOf(categories[0], engram.TypeManual)
	}
	return engram.TypeManual
}

// withoutTitle removes a heading that repeats the title.
func withoutTitle(body, title string) string {
	trimmed := strings.TrimLeft(body, "\n \t")
	first, rest, _ := strings.Cut(trimmed, "\n")
	if name, ok := strings.CutPrefix(first, "# "); ok && strings.EqualFold(strings.TrimSpace(name), strings.TrimSpace(title)) {
		return rest
	}
	return body
}

// relateAll relates notes by the links between them.
func (n *notes) relateAll() {
	for _, l := range n.open {
		to, known := n.called[nameKey(l.target)]
		switch {
		case !known:
			n.note(l.item, fmt.Sprintf("no relation: note [[%s]] does not exist yet", l.target))
		case to != l.from:
			n.said.add(relation{from: l.from, to: to, word: l.word, about: l.about, item: l.item, at: l.page.at})
		}
	}
}
