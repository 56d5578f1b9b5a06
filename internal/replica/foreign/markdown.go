package foreign

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Memory as plain Markdown: reflexes.md, episodes.md, preferences.md and project_graph.md of
// programs from before they had a database, and any other page. A page is split at its headings; if
// its name implies a type, a list is split into items, each a memory. Reflexes and preferences do
// not fade.

func openMarkdown(name string, info fs.FileInfo, o Options) (engram.Source, error) {
	f, err := openFolder(name, info)
	if err != nil {
		return nil, err
	}
	m := &markdown{newPapers(Markdown, f, o.home()), newGraphPages()}
	m.source.each = m.each
	return m, nil
}

type markdown struct {
	papers
	graph *graphPages
}

func (m *markdown) each(ctx context.Context, yield func(engram.Record) bool) error {
	paths, err := m.folder.find(ctx, ordinary, func(p string) bool { return isMarkdown(p) && !hidden(p) })
	if err != nil {
		return err
	}
	if slices.ContainsFunc(paths, isPage) {
		paths = slices.DeleteFunc(paths, func(p string) bool { return !isPage(p) })
	}
	if len(paths) == 0 {
		return nothing("Markdown", "name a .md file, or a folder with such files")
	}
	stopped := false
	err = m.pages(ctx, paths, func(r engram.Record) bool { stopped = !yield(r); return !stopped }, func(pg page) bool {
		matter, body, line := split(pg.text)
		kind, named := pageType(pg.stem())
		if t := matter.first("type"); t != "" {
			kind = engram.Type(t)
		}
		heading := cmp.Or(matter.first("title", "name", "description"), pg.stem())
		return m.cut(pg, body, line, heading, named, func(x *engram.Memory, s section) {
			x.Type = kind
			if len(s.headings) > 0 && !named {
				x.Title = titled(strings.Join(s.headings, ": ")) // on other pages the name matters
				x.Type = typeOf(s.headings[len(s.headings)-1], kind)
			}
			x.Tags = append(tagOf(strings.ToLower(pg.stem())), tagsOf(listOf(matter, "tags"))...)
			x.Permanent = x.Type == engram.TypeReflex || x.Type == engram.TypePreference
			if fields := fieldsOf(matter, "title", "type", "tags"); len(fields) > 0 {
				x.Metadata["front_matter"] = fields
			}
			if isGraphPage(pg.stem()) {
				m.graph.add(*x, s, fmt.Sprintf("%s:%d", pg.path, s.line))
			}
			if len(s.headings) > 0 { // episodes are under a date
				if at := when(strings.TrimRight(firstWord(s.headings[len(s.headings)-1]), ":,")); !at.IsZero() && at.Before(x.CreatedAt) {
					x.CreatedAt, x.UpdatedAt = at, pg.at
				}
			}
		}, func(r engram.Record) bool { stopped = !yield(r); return !stopped })
	})
	if err != nil || stopped {
		return err
	}
	all := relations{naming: m.naming}
	m.graph.relate(&all)
	all.each(yield)
	return nil
}

// pageType returns the type that the name of a page implies, and whether it implies one.
func pageType(stem string) (engram.Type, bool) {
	if isGraphPage(stem) {
		return engram.TypeEntity, true
	}
	t := typeOf(stem, "")
	if t == "" {
		return engram.TypeManual, false
	}
	return t, true
}

// isPage reports whether a file is one of the four pages. A folder with one of them is read for
// these alone.
func isPage(p string) bool {
	switch strings.ToLower(path.Base(p)) {
	case "reflexes.md", "episodes.md", "preferences.md", "project_graph.md":
		return true
	}
	return false
}

// ordinary reports whether a folder may have pages: neither hidden nor third-party.
func ordinary(dir string) bool { return !hidden(dir) && !borrowed(dir) }

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return word
}

// listOf returns a list of front matter: several values, or one with commas.
func listOf(m matter, key string) []string {
	values := m.fields[key]
	if len(values) == 1 {
		values = strings.Split(values[0], ",")
	}
	var out []string
	for _, v := range values {
		if v = strings.TrimPrefix(strings.TrimSpace(v), "#"); v != "" {
			out = append(out, v)
		}
	}
	return out
}
