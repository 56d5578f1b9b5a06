// Package basicmemory reads the notes of basic-memory.
//
// basic-memory keeps a folder of Markdown notes: front matter (title, type, tags, permalink and
// custom fields), observations as list items ("- [category] text #tag (context)"), relations as
// items with a wiki link ("- relation_type [[Target]] (context)"), and links in prose (links_to). A
// link may lead to a note that does not exist yet.
//
// A note becomes one memory with the note as its content, without front matter; observations stay
// in it. Its name is the permalink, or the path.
//
// Source: basicmachines-co/basic-memory, NOTE-FORMAT.md.
package basicmemory

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/frontmatter"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/pages"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// Open opens a folder, or one file of it. CodeNotFound, CodeInvalid or CodeUnavailable if that is not possible.
func Open(name string, info fs.FileInfo, o source.Options) (engram.Source, error) {
	f, err := pages.OpenFolder(name, info)
	if err != nil {
		return nil, err
	}
	n := &notes{Papers: pages.NewPapers(source.BasicMemory, f, o.Home()), patterns: pages.NewPatterns(), called: pages.PageNames{}}
	n.said.Naming = n.Naming
	n.Source.Each = n.each
	return n, nil
}

type notes struct {
	pages.Papers
	patterns pages.Patterns
	called   pages.PageNames
	said     source.Relations
	open     []pages.OpenLink // resolved after all notes are read
}

func (n *notes) each(ctx context.Context, yield func(engram.Record) bool) error {
	paths, err := n.Folder.Find(ctx, pages.Ordinary, func(p string) bool { return pages.IsMarkdown(p) && !pages.Hidden(p) })
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return pages.Nothing("note", "name the folder of a basic-memory project, such as ~/basic-memory")
	}
	stopped := false
	err = n.Pages(ctx, paths, yield, func(pg pages.Page) bool {
		stopped = !yield(n.noteOf(pg))
		return !stopped
	})
	if err != nil || stopped {
		return err
	}
	n.relateAll()
	n.said.Each(yield)
	return nil
}

func (n *notes) noteOf(pg pages.Page) engram.Record {
	m, body, line := frontmatter.Split(pg.Text)
	title := cmp.Or(m.First("title"), pg.Stem())
	plain := strings.TrimSuffix(pg.Path, path.Ext(pg.Path))
	id := cmp.Or(m.First("permalink"), pages.NameKey(plain))
	if own := n.Own(id); own != id {
		n.Note(pg.Path, "another note has the permalink "+id+": it is named "+own+" here")
		id = own
	}
	sync := n.Memory(id)
	for _, name := range []string{title, id, plain, pg.Stem()} {
		n.called.Call(name, sync)
	}
	s := n.patterns.Parse(body, line)
	for _, l := range s.Links {
		n.open = append(n.open, pages.OpenLink{WikiLink: l, From: sync, Item: fmt.Sprintf("%s:%d", pg.Path, l.Line), Page: pages.Page{At: pg.At}})
	}
	kind := strings.ToLower(m.First("type"))
	more := map[string]any{}
	if kind != "" {
		more["source_type"] = kind
	}
	if len(s.Categories) > 0 {
		more["categories"] = source.Listed(s.Categories)
	}
	if fields := pages.FieldsOf(m, "title", "type", "tags", "permalink"); len(fields) > 0 {
		more["front_matter"] = fields
	}
	created := source.When(m.First("created", "created_at", "date"))
	updated := source.When(m.First("modified", "updated", "updated_at"))
	origin := n.Origin
	if updated.IsZero() {
		updated, origin = pg.At, n.Dated
	}
	content := cmp.Or(strings.TrimSpace(pages.WithoutTitle(body, title)), title)
	r := source.NewMemory(engram.Memory{SyncID: sync, Project: n.Project, Type: noteType(kind, s.Categories), Title: title, Content: content,
		Tags: source.TagsOf(append(pages.ListOf(m, "tags"), s.Tags...)), CreatedAt: cmp.Or(created, updated), UpdatedAt: updated, Metadata: origin(id, pg.Path, more)})
	r.Item = pg.Path
	return r
}

// noteType returns the type of a note, or, for the usual "note", the common type of its
// observations.
func noteType(kind string, categories []string) engram.Type {
	if kind != "" && kind != "note" {
		return engram.Type(kind)
	}
	if len(categories) == 1 {
		return pages.TypeOf(categories[0], engram.TypeManual)
	}
	return engram.TypeManual
}

func (n *notes) relateAll() {
	for _, l := range n.open {
		to, known := n.called[pages.NameKey(l.Target)]
		switch {
		case !known:
			n.Note(l.Item, fmt.Sprintf("no relation: note [[%s]] does not exist yet", l.Target))
		case to != l.From:
			n.said.Add(source.Relation{From: l.From, To: to, Word: l.Word, About: l.About, Item: l.Item, At: l.Page.At})
		}
	}
}
