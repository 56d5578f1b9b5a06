// Package markdown reads memory that is kept as plain Markdown.
//
// Memory as plain Markdown: reflexes.md, episodes.md, preferences.md and project_graph.md of
// programs from before they had a database, and any other page. A page is split at its headings; if
// its name implies a type, a list is split into items, each a memory. Reflexes and preferences do
// not fade.
package markdown

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
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
	m := &markdown{pages.NewPapers(source.Markdown, f, o.Home()), newGraphPages()}
	m.Source.Each = m.each
	return m, nil
}

type markdown struct {
	pages.Papers
	graph *graphPages
}

func (m *markdown) each(ctx context.Context, yield func(engram.Record) bool) error {
	paths, err := m.Folder.Find(ctx, pages.Ordinary, func(p string) bool { return pages.IsMarkdown(p) && !pages.Hidden(p) })
	if err != nil {
		return err
	}
	if slices.ContainsFunc(paths, IsPage) {
		paths = slices.DeleteFunc(paths, func(p string) bool { return !IsPage(p) })
	}
	if len(paths) == 0 {
		return pages.Nothing("Markdown", "name a .md file, or a folder with such files")
	}
	stopped := false
	err = m.Pages(ctx, paths, func(r engram.Record) bool { stopped = !yield(r); return !stopped }, func(pg pages.Page) bool {
		matter, body, line := frontmatter.Split(pg.Text)
		kind, named := pageType(pg.Stem())
		if t := matter.First("type"); t != "" {
			kind = engram.Type(t)
		}
		heading := cmp.Or(matter.First("title", "name", "description"), pg.Stem())
		return m.Cut(pg, body, line, heading, named, func(x *engram.Memory, s pages.Section) {
			x.Type = kind
			if len(s.Headings) > 0 && !named {
				x.Title = pages.Titled(strings.Join(s.Headings, ": ")) // on other pages the name matters
				x.Type = pages.TypeOf(s.Headings[len(s.Headings)-1], kind)
			}
			x.Tags = append(source.TagOf(strings.ToLower(pg.Stem())), source.TagsOf(pages.ListOf(matter, "tags"))...)
			x.Permanent = x.Type == engram.TypeReflex || x.Type == engram.TypePreference
			if fields := pages.FieldsOf(matter, "title", "type", "tags"); len(fields) > 0 {
				x.Metadata["front_matter"] = fields
			}
			if pages.IsGraphPage(pg.Stem()) {
				m.graph.add(*x, s, fmt.Sprintf("%s:%d", pg.Path, s.Line))
			}
			if len(s.Headings) > 0 { // episodes are under a date
				if at := source.When(strings.TrimRight(firstWord(s.Headings[len(s.Headings)-1]), ":,")); !at.IsZero() && at.Before(x.CreatedAt) {
					x.CreatedAt, x.UpdatedAt = at, pg.At
				}
			}
		}, func(r engram.Record) bool { stopped = !yield(r); return !stopped })
	})
	if err != nil || stopped {
		return err
	}
	all := source.Relations{Naming: m.Naming}
	m.graph.relate(&all)
	all.Each(yield)
	return nil
}

// pageType returns the type that the name of a page implies, and whether it implies one.
func pageType(stem string) (engram.Type, bool) {
	if pages.IsGraphPage(stem) {
		return engram.TypeEntity, true
	}
	t := pages.TypeOf(stem, "")
	if t == "" {
		return engram.TypeManual, false
	}
	return t, true
}

// IsPage reports whether a file is one of the four pages. A folder with one of them is read for
// these alone.
func IsPage(p string) bool {
	switch strings.ToLower(path.Base(p)) {
	case "reflexes.md", "episodes.md", "preferences.md", "project_graph.md":
		return true
	}
	return false
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return word
}
