package engram_test

import (
	"flag"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write CHANGELOG.md")

// page is a Markdown file of the documentation, its path relative to the repository.
type page struct{ path, text string }

// pages returns the documents: those in the root, in docs and in its folders.
func pages(t *testing.T) (all []page) {
	t.Helper()
	root := os.DirFS(".")
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		names, err := fs.Glob(root, pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(root, name)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, page{name, string(text)})
		}
	}
	return all
}

// TestDocumentsStayShort counts words as wc does, in the README and in all files of docs, but not in what programs write.
func TestDocumentsStayShort(t *testing.T) {
	const mostInReadme, most = 900, 36000
	total := 0
	count := func(name string) int {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return len(strings.Fields(generatedPart.ReplaceAllString(string(text), "")))
	}
	if total = count("README.md"); total > mostInReadme {
		t.Errorf("README.md has %d words, want at most %d", total, mostInReadme)
	}
	err := fs.WalkDir(os.DirFS("."), "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !generatedPage(name) {
			total += count(name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > most {
		t.Errorf("README.md and docs have %d words without what is generated, want at most %d", total, most)
	}
}

// generatedPage reports whether a page is written by a test or a script from the program alone.
func generatedPage(name string) bool {
	return strings.HasSuffix(name, ".svg") || name == "docs/cli-commands.md" || name == "docs/cli-json.md"
}

var (
	linkTarget = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fencedCode = regexp.MustCompile("(?ms)^```.*?^```$")
	codeSpan   = regexp.MustCompile("`[^`\n]*`")
	heading    = regexp.MustCompile(`(?m)^#{1,6} +(.+?)\s*$`)
)

// TestLinksOfDocumentsResolve follows every link to a file of the repository, and to a heading in it.
func TestLinksOfDocumentsResolve(t *testing.T) {
	all := pages(t)
	for _, p := range all {
		prose := codeSpan.ReplaceAllString(fencedCode.ReplaceAllString(p.text, ""), "")
		for _, m := range linkTarget.FindAllStringSubmatch(prose, -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			name := p.path
			if target != "" {
				name = path.Join(path.Dir(p.path), target)
			}
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%s links to %s, which does not exist", p.path, m[1])
				continue
			}
			if anchor == "" {
				continue
			}
			at := slices.IndexFunc(all, func(other page) bool { return other.path == name })
			if at < 0 || !slices.Contains(anchors(all[at].text), anchor) {
				t.Errorf("%s links to %s, which has no such heading", p.path, m[1])
			}
		}
	}
}

// anchors returns the names by which the headings of a page can be linked to.
func anchors(text string) (names []string) {
	for _, m := range heading.FindAllStringSubmatch(fencedCode.ReplaceAllString(text, ""), -1) {
		names = append(names, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, m[1]))
	}
	return names
}

// TestChangelogIsAssembled compares CHANGELOG.md with the entries in changelog/unreleased.
func TestChangelogIsAssembled(t *testing.T) {
	names, err := fs.Glob(os.DirFS("."), "changelog/unreleased/*.md")
	if err != nil {
		t.Fatal(err)
	}
	kinds := []string{"Added", "Changed", "Fixed"}
	entries := map[string][]string{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range changelogEntries(string(b)) {
			kind := "Added"
			for _, k := range kinds {
				if rest, found := strings.CutPrefix(entry, k+": "); found {
					kind, entry = k, strings.ToUpper(rest[:1])+rest[1:]
				}
			}
			entries[kind] = append(entries[kind], entry)
		}
	}
	want := "# Changelog\n\nAssembled from `changelog/unreleased` by `make changelog`.\n\n## Unreleased\n"
	for _, kind := range kinds {
		want += "\n### " + kind + "\n\n"
		for _, entry := range entries[kind] {
			want += "* " + strings.ReplaceAll(entry, "\n", "\n  ") + "\n"
		}
	}
	if *update {
		if err := os.WriteFile("CHANGELOG.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if had, err := os.ReadFile("CHANGELOG.md"); err != nil || string(had) != want {
		t.Errorf("CHANGELOG.md is not up to date (%v): run make changelog", err)
	}
}

// changelogEntries returns the entries of one file: the items of its list, or all of it. Links
// are made relative to the root.
func changelogEntries(text string) (entries []string) {
	text = strings.ReplaceAll(strings.TrimSpace(text), "](../../", "](")
	items := regexp.MustCompile(`(?m)^[*-] `)
	if !items.MatchString(text) || items.FindStringIndex(text)[0] != 0 {
		return []string{text}
	}
	for _, item := range items.Split(text, -1)[1:] {
		lines := strings.Split(strings.TrimSpace(item), "\n")
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		entries = append(entries, strings.Join(lines, "\n"))
	}
	return entries
}

var codePath = regexp.MustCompile("`((?:internal|cmd|plugin|docs|changelog)/[A-Za-z0-9_./-]+|(?:engine|sqlite|mcp|httpapi|retrieval|lifecycle|replica)/[a-z_]+\\.go)`")

// TestPathsInDocumentsExist looks for the files and folders of the repository that documents name.
func TestPathsInDocumentsExist(t *testing.T) {
	for _, p := range pages(t) {
		if p.path == "CHANGELOG.md" || p.path == "docs/anchors.md" || generatedPage(p.path) {
			continue // which give examples, or speak of what was
		}
		for _, m := range codePath.FindAllStringSubmatch(p.text, -1) {
			name := strings.TrimSuffix(m[1], "/...")
			if strings.Contains(name, "NAME") || strings.Contains(name, "NNNN") {
				continue
			}
			if _, err := os.Stat(name); err != nil {
				if _, err := os.Stat("internal/" + name); err != nil {
					t.Errorf("%s names %s, which does not exist", p.path, m[1])
				}
			}
		}
	}
}
