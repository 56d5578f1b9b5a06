package foreign

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Claude Code keeps its auto memory in ~/.claude/projects/SLUG/memory: MEMORY.md, whose beginning
// it reads at every start, and the topic files that it points to. SLUG is the path of the
// repository with a hyphen for every character that is not a letter or digit. A topic with front
// matter (name, description, and a type user, feedback, project or reference; also under metadata)
// becomes one memory. A topic without, and MEMORY.md, are split at their headings. Lines that only
// point to a topic are left out.
//
// Source: code.claude.com/docs/en/memory, and docs.rs/claude-wrapper for the front matter.

func openClaudeCode(name string, info fs.FileInfo, o Options) (engram.Source, error) {
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil, missing(name, err)
	}
	only, base := "", "."
	if !info.IsDir() {
		if !isMarkdown(real) {
			return nil, engram.Errorf(engram.CodeInvalid, "%s is not a Markdown file", name).WithHint("name a folder such as ~/.claude/projects/SLUG/memory, or a .md file in it")
		}
		real, only = filepath.Dir(real), filepath.Base(real)
	}
	if filepath.Base(real) == "memory" { // the folder above names the project
		real, base = filepath.Dir(real), "memory"
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, unreadable(name, err)
	}
	c := &claudeCode{papers: newPapers(ClaudeCode, &folder{root: root}, o.home()), options: o, slug: filepath.Base(real), base: base, only: only,
		patterns: newPatterns(), pointer: regexp.MustCompile(`^\s*(?:[-*+]\s+)?\**\[[^\]]*\]\(([^)\s]+\.md)\)`)}
	c.source.each = c.each
	return c, nil
}

type claudeCode struct {
	papers
	options  Options
	slug     string // the open folder
	base     string // the memory folder in it; "." if it must be found
	only     string // the one file to read; "" for all
	patterns patterns
	pointer  *regexp.Regexp
}

func (c *claudeCode) each(ctx context.Context, yield func(engram.Record) bool) error {
	dirs, err := c.memories()
	if err != nil {
		return err
	}
	if len(dirs) == 0 {
		return nothing("memory of Claude Code", "name a folder such as ~/.claude/projects/SLUG/memory, or ~/.claude/projects for all of them")
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
		paths, err := fs.Glob(c.folder.root.FS(), pattern)
		if err != nil {
			return nil, unreadable("the folder", err)
		}
		for _, p := range paths {
			if path.Base(p) == "MEMORY.md" {
				p = path.Dir(p)
			}
			if info, err := c.folder.root.Stat(filepath.FromSlash(p)); err == nil && info.IsDir() && !slices.Contains(found, p) {
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

// remembered reads one memory folder.
func (c *claudeCode) remembered(ctx context.Context, dir string, yield func(engram.Record) bool) (more bool, err error) {
	c.project = c.projectOf(ctx, dir)
	c.space = c.project
	entries, err := fs.ReadDir(c.folder.root.FS(), dir)
	if err != nil {
		return false, unreadable("the folder", err)
	}
	var paths []string // sorted
	for _, e := range entries {
		if !e.IsDir() && isMarkdown(e.Name()) && !hidden(e.Name()) && (c.only == "" || c.only == e.Name()) {
			paths = append(paths, path.Join(dir, e.Name()))
		}
	}
	called, relations, open := pageNames{}, relations{naming: c.naming}, []openLink(nil)
	more = true
	all := func(r engram.Record) bool { more = yield(r); return more }
	c.below = strings.TrimPrefix(dir+"/", "./")
	err = c.pages(ctx, paths, all, func(pg page) bool {
		m, body, line := split(pg.text)
		if len(m.fields) == 0 || pg.path == "MEMORY.md" {
			return c.cut(pg, c.withoutPointers(pg, body, line), line, pg.stem(), false, c.classify, all)
		}
		r := c.topic(pg, m, body)
		if c.repeated(pg.path, r.Memory.Memory.Title, r.Memory.Memory.Content) {
			return true
		}
		sync := r.Memory.Memory.SyncID
		called.call(m.first("name"), sync)
		called.call(pg.stem(), sync)
		for _, l := range c.patterns.parse(body, line).links {
			open = append(open, openLink{l, sync, fmt.Sprintf("%s:%d", pg.path, l.line), page{at: pg.at}})
		}
		return all(r)
	})
	if err != nil || !more {
		return false, err
	}
	for _, l := range open {
		if to := called[nameKey(l.target)]; to != "" && to != l.from {
			relations.add(relation{from: l.from, to: to, word: l.word, about: l.about, item: l.item, at: l.page.at})
		}
	}
	relations.each(all)
	return more, nil
}

// topic returns a file with front matter as a memory.
func (c *claudeCode) topic(pg page, m matter, body string) engram.Record {
	title := cmp.Or(m.first("name", "title"), pg.stem())
	content := cmp.Or(strings.TrimSpace(withoutTitle(body, title)), m.first("description"))
	kind := strings.ToLower(m.first("type", "metadata.type"))
	more := map[string]any{}
	if kind != "" {
		more["source_type"] = kind
	}
	if fields := fieldsOf(m, "name", "title", "description", "type", "metadata.type"); len(fields) > 0 {
		more["front_matter"] = fields
	}
	id := c.own(pg.path)
	x := engram.Memory{SyncID: c.memory(id), Project: c.project, Title: strings.NewReplacer("_", " ").Replace(title), Content: content,
		Summary: m.first("description"), CreatedAt: pg.at, Metadata: c.dated(id, pg.path, more)}
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
	r := newMemory(x)
	r.Item = pg.path
	return r
}

func (c *claudeCode) classify(m *engram.Memory, s section) {
	m.Type = engram.TypeLearning
	if n := len(s.headings); n > 0 {
		m.Type = typeOf(s.headings[n-1], engram.TypeLearning)
	}
}

// withoutPointers blanks the lines that only point to a file, which is imported itself.
func (c *claudeCode) withoutPointers(pg page, body string, line int) string {
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
		c.note(fmt.Sprintf("%s:%d", pg.path, line), fmt.Sprintf("left out: pointers to topic files (%d)", left))
	}
	return strings.Join(lines, "\n")
}
