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

// Instructions for agents in files that agents read by name: AGENTS.md, CLAUDE.md, editor rules.
// The same text is often linked or copied to several files; it is imported once. A page is split at
// its headings.

func openInstructions(name string, info fs.FileInfo, o Options) (engram.Source, error) {
	f, err := openFolder(name, info)
	if err != nil {
		return nil, err
	}
	i := &instructions{newPapers(MemoryMD, f, o.home())}
	i.source.each = i.each
	return i, nil
}

type instructions struct{ papers }

func (i *instructions) each(ctx context.Context, yield func(engram.Record) bool) error {
	paths, err := i.folder.find(ctx, maybeInstructions, isInstructions)
	if err != nil {
		return err
	}
	if len(paths) == 0 {
		return nothing("file of instructions for agents", "use AGENTS.md, CLAUDE.md, MEMORY.md, GEMINI.md or editor rules, or name another file itself")
	}
	// Of copies, prefer the page that is not specific to an editor.
	slices.SortStableFunc(paths, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), compareHidden(a, b), cmp.Compare(a, b))
	})
	return i.pages(ctx, paths, yield, func(pg page) bool {
		matter, body, line := split(pg.text)
		kind := engram.TypePolicy
		if path.Base(pg.path) == "MEMORY.md" {
			kind = engram.TypeManual // notes, not rules
		}
		heading := cmp.Or(matter.first("description", "title", "name"), path.Base(pg.path))
		return i.cut(pg, i.withoutImports(pg, body, line), line, heading, false, func(m *engram.Memory, s section) {
			m.Type = kind
			if n := len(s.headings); n > 0 {
				m.Type = typeOf(s.headings[n-1], kind)
			}
			if strings.HasSuffix(pg.path, ".local.md") {
				m.Scope = engram.ScopePersonal // not in the repository
			}
			if fields := fieldsOf(matter); len(fields) > 0 {
				m.Metadata["front_matter"] = fields
			}
		}, yield)
	})
}

// withoutImports blanks the lines that only import another file.
func (i *instructions) withoutImports(pg page, body string, line int) string {
	lines := strings.Split(body, "\n")
	for n, l := range lines {
		if name, ok := strings.CutPrefix(strings.TrimSpace(l), "@"); ok && isMarkdown(name) && !strings.ContainsAny(name, " \t") {
			i.note(fmt.Sprintf("%s:%d", pg.path, line+n), "left out: it points to "+name)
			lines[n] = ""
		}
	}
	return strings.Join(lines, "\n")
}

func compareHidden(a, b string) int {
	return cmp.Compare(len(a)-len(strings.TrimPrefix(a, ".")), len(b)-len(strings.TrimPrefix(b, ".")))
}

// isInstructions reports whether agents read a file by themselves.
func isInstructions(p string) bool {
	switch path.Base(p) {
	case "AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "MEMORY.md", "QWEN.md", "WARP.md", "CONVENTIONS.md",
		".cursorrules", ".windsurfrules", ".clinerules", ".goosehints", ".rules":
		return true
	}
	dir := "/" + p
	for _, rules := range []string{"/.cursor/rules/", "/.windsurf/rules/", "/.clinerules/", "/.claude/rules/", "/.roo/rules", "/.amazonq/rules/",
		"/.kiro/steering/", "/.continue/rules/", "/.augment/rules/", "/.trae/rules/"} {
		if strings.Contains(dir, rules) && isMarkdown(p) {
			return true
		}
	}
	return strings.HasSuffix(dir, "/.github/copilot-instructions.md") || strings.HasSuffix(dir, "/.junie/guidelines.md") ||
		strings.Contains(dir, "/.github/instructions/") && strings.HasSuffix(p, ".instructions.md")
}

// maybeInstructions reports whether a folder may contain such files.
func maybeInstructions(dir string) bool {
	if borrowed(dir) {
		return false
	}
	if !hidden(dir) {
		return true
	}
	switch path.Base(dir) {
	case ".cursor", ".windsurf", ".clinerules", ".claude", ".roo", ".amazonq", ".kiro", ".continue", ".augment", ".trae", ".github", ".junie":
		return true
	}
	return false
}

// borrowed reports whether a folder holds third-party or generated files.
func borrowed(dir string) bool {
	switch path.Base(dir) {
	case "node_modules", "vendor", "third_party", "target", "dist", "build", "venv", "__pycache__", "bower_components":
		return true
	}
	return false
}
