// Package instructions reads instructions for agents as memories.
//
// Instructions for agents in files that agents read by name: AGENTS.md, CLAUDE.md, editor rules.
// The same text is often linked or copied to several files; it is imported once. A page is split at
// its headings.
package instructions

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
	i := &instructions{pages.NewPapers(source.MemoryMD, f, o.Home())}
	i.Source.Each = i.each
	return i, nil
}

type instructions struct{ pages.Papers }

func (i *instructions) each(ctx context.Context, yield func(engram.Record) bool) error {
	paths, err := i.Folder.Find(ctx, maybeInstructions, Names)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return pages.Nothing("file of instructions for agents", "use AGENTS.md, CLAUDE.md, MEMORY.md, GEMINI.md or editor rules, or name another file itself")
	}
	// Of copies, prefer the page that is not specific to an editor.
	slices.SortStableFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), compareHidden(a, b), cmp.Compare(a, b))
	})
	return i.Pages(ctx, paths, yield, func(pg pages.Page) bool {
		matter, body, line := frontmatter.Split(pg.Text)
		kind := engram.TypePolicy
		if path.Base(pg.Path) == "MEMORY.md" {
			kind = engram.TypeManual // notes, not rules
		}
		heading := cmp.Or(matter.First("description", "title", "name"), path.Base(pg.Path))
		return i.Cut(pg, i.withoutImports(pg, body, line), line, heading, false, func(m *engram.Memory, s pages.Section) {
			m.Type = kind
			if n := len(s.Headings); n > 0 {
				m.Type = pages.TypeOf(s.Headings[n-1], kind)
			}
			if strings.HasSuffix(pg.Path, ".local.md") {
				m.Scope = engram.ScopePersonal // not in the repository
			}
			if fields := pages.FieldsOf(matter); len(fields) > 0 {
				m.Metadata["front_matter"] = fields
			}
		}, yield)
	})
}

// withoutImports blanks the lines that only import another file.
func (i *instructions) withoutImports(pg pages.Page, body string, line int) string {
	lines := strings.Split(body, "\n")
	for n, l := range lines {
		if name, ok := strings.CutPrefix(strings.TrimSpace(l), "@"); ok && pages.IsMarkdown(name) && !strings.ContainsAny(name, " \t") {
			i.Note(fmt.Sprintf("%s:%d", pg.Path, line+n), "left out: it points to "+name)
			lines[n] = ""
		}
	}
	return strings.Join(lines, "\n")
}

func compareHidden(a, b string) int {
	return cmp.Compare(len(a)-len(strings.TrimPrefix(a, ".")), len(b)-len(strings.TrimPrefix(b, ".")))
}

// Names reports whether agents read a file by themselves.
func Names(p string) bool {
	switch path.Base(p) {
	case "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "MEMORY.md", "QWEN.md", "WARP.md", "CONVENTIONS.md",
		".cursorrules", ".windsurfrules", ".clinerules", ".goosehints", ".rules":
		return true
	}
	dir := "/" + p
	for _, rules := range []string{"/.cursor/rules/", "/.windsurf/rules/", "/.clinerules/", "/.claude/rules/", "/.roo/rules", "/.amazonq/rules/",
		"/.kiro/steering/", "/.continue/rules/", "/.augment/rules/", "/.trae/rules/"} {
		if strings.Contains(dir, rules) && pages.IsMarkdown(p) {
			return true
		}
	}
	return strings.HasSuffix(dir, "/.github/copilot-instructions.md") || strings.HasSuffix(dir, "/.junie/guidelines.md") ||
		strings.Contains(dir, "/.github/instructions/") && strings.HasSuffix(p, ".instructions.md")
}

// maybeInstructions reports whether a folder may contain such files.
func maybeInstructions(dir string) bool {
	if pages.Borrowed(dir) {
		return false
	}
	if !pages.Hidden(dir) {
		return true
	}
	switch path.Base(dir) {
	case ".cursor", ".windsurf", ".clinerules", ".claude", ".roo", ".amazonq", ".kiro", ".continue", ".augment", ".trae", ".github", ".junie":
		return true
	}
	return false
}
