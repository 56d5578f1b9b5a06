// Package claudecode reads the auto memory of Claude Code.
//
// Claude Code keeps its auto memory in ~/.claude/projects/SLUG/memory: MEMORY.md, whose beginning
// it reads at every start, and the topic files that it points to. SLUG is the path of the
// repository with a hyphen for every character that is not a letter or digit. A topic with front
// matter (name, description, and a type user, feedback, project or reference; also under metadata)
// becomes one memory. A topic without, and MEMORY.md, are split at their headings. Lines that only
// point to a topic are left out.
//
// Source: code.claude.com/docs/en/memory, and docs.rs/claude-wrapper for the front matter.
package claudecode

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/frontmatter"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/pages"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// Open opens a folder, or one file of it. CodeNotFound, CodeInvalid or CodeUnavailable if that is not possible.
func Open(name string, info fs.FileInfo, o source.Options) (engram.Source, error) {
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, source.Missing(name, err)
	}
	only, base := "", "."
	if !info.IsDir() {
		if !pages.IsMarkdown(real) {
			return nil, engram.Errorf(engram.CodeInvalid, "%s is not a Markdown file", name).WithHint("name a folder such as ~/.claude/projects/SLUG/memory, or a .md file in it")
		}
		real, only = filepath.Dir(real), filepath.Base(real)
	}
	if filepath.Base(real) == "memory" { // the folder above names the project
		real, base = filepath.Dir(real), "memory"
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, source.Unreadable(name, err)
	}
	c := &claudeCode{Papers: pages.NewPapers(source.ClaudeCode, &pages.Folder{Root: root}, o.Home()), options: o, slug: filepath.Base(real), base: base, only: only,
		patterns: pages.NewPatterns(), pointer: regexp.MustCompile(`^\s*(?:[-*+]\s+)?\**\[[^\]]*\]\(([^)\s]+\.md)\)`)}
	c.Source.Each = c.each
	return c, nil
}

type claudeCode struct {
	pages.Papers
	options  source.Options
	slug     string // the open folder
	base     string // the memory folder in it; "." if it must be found
	only     string // the one file to read; "" for all
	patterns pages.Patterns
	pointer  *regexp.Regexp
}

func (c *claudeCode) each(ctx context.Context, yield func(engram.Record) bool) error {
	dirs, err := c.memories()
	if err != nil {
		return err
	}
	if len(dirs) == 0 {
		return pages.Nothing("memory of Claude Code", "name a folder such as ~/.claude/projects/SLUG/memory, or ~/.claude/projects for all of them")
	}
	for _, dir := range dirs {
		more, err := c.remembered(ctx, dir, yield)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// memories returns the memory folders below the open folder.
func (c *claudeCode) memories() ([]string, error) {
	if c.base != "." {
		return []string{c.base}, nil
	}
	var found []string
	for _, pattern := range []string{"MEMORY.md", "memory/MEMORY.md", "*/memory/MEMORY.md", "projects/*/memory/MEMORY.md", "memory", "*/memory", "projects/*/memory"} {
		paths, err := fs.Glob(c.Folder.Root.FS(), pattern)
		if err != nil {
			return nil, source.Unreadable("the folder", err)
		}
		for _, p := range paths {
			if path.Base(p) == "MEMORY.md" {
				p = path.Dir(p)
			}
			if info, err := c.Folder.Root.Stat(filepath.FromSlash(p)); err == nil && info.IsDir() && !slices.Contains(found, p) {
				found = append(found, p)
			}
		}
		if len(found) > 0 && pattern == "MEMORY.md" {
			return found, nil
		}
	}
	if len(found) == 0 && c.only != "" {
		found = []string{"."}
	}
	return found, nil
}

func (c *claudeCode) remembered(ctx context.Context, dir string, yield func(engram.Record) bool) (more bool, err error) {
	c.Project = c.projectOf(ctx, dir)
	c.Space = c.Project
	entries, err := fs.ReadDir(c.Folder.Root.FS(), dir)
	if err != nil {
		return false, source.Unreadable("the folder", err)
	}
	var paths []string // sorted
	for _, e := range entries {
		if !e.IsDir() && pages.IsMarkdown(e.Name()) && !pages.Hidden(e.Name()) && (c.only == "" || c.only == e.Name()) {
			paths = append(paths, path.Join(dir, e.Name()))
		}
	}
	called, relations, open := pages.PageNames{}, source.Relations{Naming: c.Naming}, []pages.OpenLink(nil)
	more = true
	all := func(r engram.Record) bool { more = yield(r); return more }
	c.Below = strings.TrimPrefix(dir+"/", "./")
	err = c.Pages(ctx, paths, all, func(pg pages.Page) bool {
		m, body, line := frontmatter.Split(pg.Text)
		if len(m.Fields) == 0 || pg.Path == "MEMORY.md" {
			return c.Cut(pg, c.withoutPointers(pg, body, line), line, pg.Stem(), false, c.classify, all)
		}
		r := c.topic(pg, m, body)
		if c.Repeated(pg.Path, r.Memory.Memory.Title, r.Memory.Memory.Content) {
			return true
		}
		sync := r.Memory.Memory.SyncID
		called.Call(m.First("name"), sync)
		called.Call(pg.Stem(), sync)
		for _, l := range c.patterns.Parse(body, line).Links {
			open = append(open, pages.OpenLink{WikiLink: l, From: sync, Item: fmt.Sprintf("%s:%d", pg.Path, l.Line), Page: pages.Page{At: pg.At}})
		}
		return all(r)
	})
	if err != nil || !more {
		return false, err
	}
	for _, l := range open {
		if to := called[pages.NameKey(l.Target)]; to != "" && to != l.From {
			relations.Add(source.Relation{From: l.From, To: to, Word: l.Word, About: l.About, Item: l.Item, At: l.Page.At})
		}
	}
	relations.Each(all)
	return more, nil
}

// topic returns a file with front matter as a memory.
func (c *claudeCode) topic(pg pages.Page, m frontmatter.Matter, body string) engram.Record {
	title := cmp.Or(m.First("name", "title"), pg.Stem())
	content := cmp.Or(strings.TrimSpace(pages.WithoutTitle(body, title)), m.First("description"))
	kind := strings.ToLower(m.First("type", "metadata.type"))
	more := map[string]any{}
	if kind != "" {
		more["source_type"] = kind
	}
	if fields := pages.FieldsOf(m, "name", "title", "description", "type", "metadata.type"); len(fields) > 0 {
		more["front_matter"] = fields
	}
	id := c.Own(pg.Path)
	x := engram.Memory{SyncID: c.Memory(id), Project: c.Project, Title: strings.NewReplacer("_", " ").Replace(title), Content: content,
		Summary: m.First("description"), CreatedAt: pg.At, Metadata: c.Dated(id, pg.Path, more)}
	switch kind {
	case "user": // the person, in any project
		x.Type, x.Scope = engram.TypePreference, engram.ScopePersonal
	case "feedback": // how the person wants the work done
		x.Type = engram.TypePolicy
	case "project", "reference":
		x.Type, x.Tags = engram.TypeFact, []string{kind}
	default:
		x.Type = engram.TypeLearning
	}
	r := source.NewMemory(x)
	r.Item = pg.Path
	return r
}

func (c *claudeCode) classify(m *engram.Memory, s pages.Section) {
	m.Type = engram.TypeLearning
	if n := len(s.Headings); n > 0 {
		m.Type = pages.TypeOf(s.Headings[n-1], engram.TypeLearning)
	}
}

// withoutPointers blanks the lines that only point to a file, which is imported itself.
func (c *claudeCode) withoutPointers(pg pages.Page, body string, line int) string {
	lines := strings.Split(body, "\n")
	left := 0
	for n, l := range lines {
		at := c.pointer.FindStringSubmatch(l)
		if at == nil || strings.Contains(at[1], "/") {
			continue
		}
		lines[n] = ""
		left++
	}
	if left > 0 {
		c.Note(fmt.Sprintf("%s:%d", pg.Path, line), fmt.Sprintf("left out: pointers to topic files (%d)", left))
	}
	return strings.Join(lines, "\n")
}

// projectOf returns the project of a memory folder: that of the repository its slug stands for.
func (c *claudeCode) projectOf(ctx context.Context, dir string) string {
	if c.options.Project != "" {
		return c.options.Home()
	}
	slug, above := c.slug, "."
	if up := path.Dir(dir); dir != "." && up != "." {
		slug, above = path.Base(up), up
	}
	if !strings.HasPrefix(slug, "-") && !windowsSlug(slug) {
		return c.options.Home() // a custom folder
	}
	if c.options.HereDir != "" && Slug(filepath.Clean(c.options.HereDir)) == slug {
		return c.options.Home()
	}
	if cwd := c.workedIn(above, slug); cwd != "" {
		if c.options.ProjectOf != nil {
			if name := c.options.ProjectOf(ctx, cwd); name != "" {
				return project.Normalize(name)
			}
		}
		return project.Normalize(path.Base(strings.ReplaceAll(cwd, `\`, "/")))
	}
	name := project.Normalize(strings.Trim(slug, "-"))
	c.Note(path.Join(dir, "MEMORY.md"), fmt.Sprintf("its project is named %s after the folder: its real name is unknown", name))
	return name
}

// windowsSlug reports whether a slug is that of a path with a drive: C--Users-ana.
func windowsSlug(slug string) bool { return len(slug) > 3 && slug[1] == '-' && slug[2] == '-' }

// Slug returns Claude Code's name for the folder of a path.
func Slug(path string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, path)
}

// workedIn returns the folder that a slug stands for, according to the transcripts beside the
// memory: several paths may have the same slug.
func (c *claudeCode) workedIn(dir, slug string) string {
	const mostTranscripts, mostLines = 8, 200
	paths, err := fs.Glob(c.Folder.Root.FS(), path.Join(dir, "*.jsonl"))
	if err != nil {
		return ""
	}
	for _, p := range paths[:min(len(paths), mostTranscripts)] {
		info, err := c.Folder.Root.Lstat(filepath.FromSlash(p))
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		file, err := c.Folder.Root.Open(filepath.FromSlash(p))
		if err != nil {
			continue
		}
		found := ""
		// An unreadable transcript does not matter: the slug is the fallback.
		_ = source.EachLine(file, func(number int, line []byte, _ bool) error {
			var said struct {
				CWD string `json:"cwd"`
			}
			if json.Unmarshal(line, &said) == nil && said.CWD != "" && Slug(said.CWD) == slug {
				found = said.CWD
			}
			if found != "" || number >= mostLines {
				return source.ErrEnough
			}
			return nil
		})
		_ = file.Close()
		if found != "" {
			return found
		}
	}
	return ""
}
