package foreign_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

const agents = `# AGENTS.md

How we work here.

## Build

Run ` + "`make check`" + `.

` + "```sh" + `
# no heading
## nor this
` + "```" + `

### In CI

The same.

## Policies

- No mocks.
`

func TestInstructionsAreCutAtTheirHeadings(t *testing.T) {
	dir := folder(t, map[string]string{
		"AGENTS.md":                agents,
		"CLAUDE.md":                "@AGENTS.md\n\n## Build\n\nRun `make check`.\n\n```sh\n# no heading\n## nor this\n```\n\n### In CI\n\nThe same.\n\n## Only here\n\nSpeak plainly.\n",
		"CLAUDE.local.md":          "My sandbox is at port 9999.\n",
		".cursor/rules/go.mdc":     "---\ndescription: Go style\nglobs: [\"*.go\", '*.mod']\nalwaysApply: false\n---\nUse gofmt.\n",
		".cursorrules":             "Answer briefly.\r\n",
		".github/workflows/ci.md":  "not for agents",
		"README.md":                "# Shop\n\nnot for agents",
		"node_modules/x/AGENTS.md": "of somebody else",
		"web/AGENTS.md":            "# Web\n\nReact only.\n",
	})
	all := must(t, source.MemoryMD, dir, source.Options{Here: "Shop"})
	same(t, "titles", all.titles(), []string{"AGENTS.md", "Build", "Policies", "CLAUDE.local.md", "Only here", ".cursorrules", "Web", "Go style"})
	same(t, "notes", all.noted(), []string{"CLAUDE.md:1: left out: it points to AGENTS.md", "CLAUDE.md:5: left out: same text as AGENTS.md:7"})
	build := all.memory(t, "Build")
	if build.Type != engram.TypePolicy || build.Project != "shop" || !strings.Contains(build.Content, "## nor this") || !strings.HasSuffix(build.Content, "### In CI\n\nThe same.") {
		t.Errorf("Build is %+v, want all of its section", build)
	}
	if build.Metadata["source_path"] != "AGENTS.md" || build.Metadata["source_id"] != "AGENTS.md#AGENTS.md/Build" || build.Metadata[engram.SourceDated] != "file" {
		t.Errorf("Build comes from %v", build.Metadata)
	}
	if m := all.memory(t, "CLAUDE.local.md"); m.Scope != engram.ScopePersonal {
		t.Errorf("what is kept out of the repository has the scope %s", m.Scope)
	}
	rule := all.memory(t, "Go style")
	fields, _ := rule.Metadata["front_matter"].(map[string]any)
	if rule.Content != "Use gofmt." || fields["alwaysapply"] != "false" || len(fields["globs"].([]any)) != 2 {
		t.Errorf("the rule is %+v", rule)
	}
	if one := must(t, source.MemoryMD, filepath.Join(dir, "README.md"), source.Options{}); one.titles()[0] != "Shop" {
		t.Errorf("a file that is named itself gives %q", one.titles())
	}
}

func TestHowAPageIsCut(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string // titles
	}{
		{"at the second level below its title", "# T\n\n## A\n\na\n\n### A1\n\nb\n\n## B\n\nc\n", []string{"A", "B"}},
		{"at the third where there is no second", "# T\n\n### A\n\na\n\n### B\n\nb\n", []string{"A", "B"}},
		{"at the third where there is nothing above", "### A\n\na\n\n#### A1\n\nb\n\n### B\n\nc\n", []string{"A", "B"}},
		{"under several titles", "# S\n\n## A\n\na\n\n# T\n\n## A\n\nb\n", []string{"S: A", "T: A"}},
		{"not at all without headings", "a\n\nb\n", []string{"AGENTS.md"}},
		{"with the mark at the end of a heading", "## A ##\n\na\n\n## C#\n\nb\n", []string{"A", "C#"}},
		{"not at what only looks like a heading", "##A\n\n    ## code\n\n####### seven\n\n~~~\n## fenced\n```\n## still\n~~~\n", []string{"AGENTS.md"}},
		{"behind front matter", "---\ntitle: Rules # of ours\n---\ntext\n", []string{"Rules"}},
		{"behind a rule that is no front matter", "---\ntext\n", []string{"AGENTS.md"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := must(t, source.MemoryMD, folder(t, map[string]string{"AGENTS.md": tt.text}), source.Options{})
			same(t, tt.text, all.titles(), tt.want)
		})
	}
}

func TestFrontMatter(t *testing.T) {
	const text = "---\n# a comment\ntitle: \"A: \\\"b\\\"\"\ntags:\n  - x # first\n  - 'it''s'\nlist: [a, \"b, c\", 'd']\nnote: |\n  two\n  lines\nfolded: >-\n  one\n  line\nouter:\n  inner: yes\nurl: http://x#y\nempty:\nnone: null\nmap: {a: b}\nno key\n---\ntext\n"
	m := must(t, source.MemoryMD, folder(t, map[string]string{"AGENTS.md": text}), source.Options{}).memories[0]
	fields, _ := m.Metadata["front_matter"].(map[string]any)
	for key, want := range map[string]string{"tags": "[x it's]", "list": "[a b, c d]", "note": "two\nlines", "folded": "one line", "outer.inner": "yes", "url": "http://x#y", "none": ""} {
		if got := fmt.Sprint(fields[key]); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if m.Title != `A: "b"` || m.Content != "text" || fields["map"] != nil || fields["empty"] != nil {
		t.Errorf("the page is %+v", m)
	}
}

func TestPagesOfMemory(t *testing.T) {
	dir := folder(t, map[string]string{
		"reflexes.md":      "# Reflexes\n\n- **Check the disk** before a migration\n- Run the linter\n  twice\n\n## When it is late\n\nSleep over it.\n",
		"episodes.md":      "# Episodes\n\n## 2026-01-05: the outage\n\nThe cache was full.\n\n## The launch\n\nIt went well.\n",
		"preferences.md":   "Short answers.\n",
		"project_graph.md": "# Graph\n\n## shop\n\n- uses: postgres\n- owner: ana\n\n## postgres\n\n- port: 5432\n",
		"README.md":        "# Not one of them\n\ntext\n",
	})
	all := must(t, source.Markdown, dir, source.Options{Here: "shop"})
	same(t, "titles", all.titles(), []string{"2026-01-05: the outage", "The launch", "preferences", "shop", "postgres", "Check the disk before a migration", "Run the linter", "When it is late"})
	lint := all.memory(t, "Run the linter")
	if lint.Content != "Run the linter\ntwice" || lint.Type != engram.TypeReflex || !lint.Permanent || lint.Tags[0] != "reflexes" {
		t.Errorf("a reflex is %+v", lint)
	}
	out := all.memory(t, "2026-01-05: the outage")
	if out.Type != engram.TypeEpisode || out.CreatedAt.Format("2006-01-02") != "2026-01-05" || !out.UpdatedAt.Equal(fileTime()) || out.Permanent {
		t.Errorf("an episode is %+v, want it of its day", out)
	}
	if m := all.memory(t, "shop"); m.Type != engram.TypeEntity {
		t.Errorf("an entity is %+v", m)
	}
	other := must(t, source.Markdown, folder(t, map[string]string{"decisions.md": "- a\n- b\n", "notes.md": "# N\n\n## Decisions\n\n- x\n- y\n", ".hidden.md": "h"}), source.Options{})
	long := must(t, source.MemoryMD, folder(t, map[string]string{"AGENTS.md": "## " + strings.Repeat("word ", 2000) + "\n\ntext\n"}), source.Options{})
	if n := len(long.memories[0].Title); n > 200 {
		t.Errorf("a heading of 10,000 bytes makes a title of %d", n)
	}
	same(t, "titles of any pages", other.titles(), []string{"a", "b", "N: Decisions"})
	for _, m := range other.memories {
		if m.Type != engram.TypeDecision {
			t.Errorf("%q is of type %s, want decision", m.Title, m.Type)
		}
	}
}

func TestTheHeadingIsPartOfWhatASectionSays(t *testing.T) {
	for _, tt := range []struct {
		name   string
		system source.System
		files  map[string]string
		want   []string
	}{
		{"the same text under two headings is two memories", source.MemoryMD, map[string]string{"AGENTS.md": "# Frontend\nUse 4 spaces.\n\n# Backend\nUse 4 spaces.\n"}, []string{"Frontend", "Backend"}},
		{"two entities that use the same", source.Markdown, map[string]string{"project_graph.md": "## shop\n- uses: redis\n## auth\n- uses: redis\n"}, []string{"shop", "auth"}},
		{"the items of a list have the heading", source.Markdown, map[string]string{"project_graph.md": "## shop\n- uses: redis\n- depends_on -> auth\n"}, []string{"shop: uses: redis", "shop: depends_on -> auth"}},
		{"headings above headings, too", source.Markdown, map[string]string{"reflexes.md": "# Reflexes\n\n## Git\n- rebase\n- never force push\n\n## Go\n- rebase\n- gofmt\n"},
			[]string{"Git: rebase", "Git: never force push", "Go: rebase", "Go: gofmt"}},
		{"a heading that says what the page is called is none", source.Markdown, map[string]string{"reflexes.md": "# Reflexes\n- rebase\n- gofmt\n"}, []string{"rebase", "gofmt"}},
		{"a heading that names something else is one", source.Markdown, map[string]string{"reflexes.md": "# Git\n- rebase\n- gofmt\n"}, []string{"Git: rebase", "Git: gofmt"}},
		{"pages of two types that say the same", source.Markdown, map[string]string{"reflexes.md": "Be short.\n", "preferences.md": "Be short.\n"}, []string{"preferences", "reflexes"}},
		{"a copy of a page under another title comes in once", source.MemoryMD, map[string]string{"AGENTS.md": "# AGENTS\n\nhello\n\n## A\n\none\n", "CLAUDE.md": "# CLAUDE\n\nhello\n\n## A\n\none\n"}, []string{"AGENTS", "A"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			same(t, fmt.Sprint(tt.files), must(t, tt.system, folder(t, tt.files), source.Options{}).titles(), tt.want)
		})
	}
}

func TestNotesOfBasicMemory(t *testing.T) {
	dir := folder(t, map[string]string{
		"design/Auth Design.md": "---\ntitle: Auth Design\ntype: note\ntags: [auth, Security]\npermalink: design/auth-design\nstatus: 'active' # for now\ncreated: 2026-01-02T03:04:05Z\n---\n\n# Auth Design\n\nBuilds on [[Core]].\n\n## Observations\n- [decision] JWT, because it is stateless #security #api/v2 (ADR 3)\n- [ ] a task\n- [x] done\n- [text](https://example.com)\n\n## Relations\n- implements [[API Requirements]] (first part)\n- replaces [[old-login|the old one]]\n- [[Core#Parts]]\n- \"depends on\" [[Nobody Wrote This]]\n- this is a whole sentence that mentions [[Core]] by the way\n- a link looks like `[[this]]`\n```\n- implements [[Core]]\n```\n",
		"API Requirements.md":   "---\ntags: auth, api\ntype: Spec\nmodified: 2026-02-03 04:05\n---\nText.\n",
		"old-login.md":          "- [fact] a\n- [decision] b\n",
		"Core.md":               "",
		".obsidian/x.md":        "not a note",
	})
	all := must(t, source.BasicMemory, dir, source.Options{Here: "shop"})
	same(t, "titles", all.titles(), []string{"API Requirements", "Core", "Auth Design", "old-login"})
	same(t, "relations", all.relations(), []string{"Auth Design relates_to Core: links_to; relates_to", "Auth Design relates_to API Requirements: implements (first part)", "Auth Design supersedes old-login: replaces"})
	same(t, "notes", all.noted(), []string{"design/Auth Design.md:24: no relation: note [[Nobody Wrote This]] does not exist yet"})
	auth := all.memory(t, "Auth Design")
	fields, _ := auth.Metadata["front_matter"].(map[string]any)
	if auth.Type != engram.TypeDecision || auth.Metadata["source_id"] != "design/auth-design" || fields["status"] != "active" || auth.CreatedAt.Year() != 2026 || strings.Contains(auth.Content, "# Auth Design\n") ||
		!strings.HasPrefix(auth.Content, "Builds on [[Core]].") || strings.Join(auth.Tags, " ") != "auth Security security api/v2" {
		t.Errorf("the note is %+v", auth)
	}
	api := all.memory(t, "API Requirements")
	if api.Type != "spec" || api.UpdatedAt.Format("2006-01-02 15:04") != "2026-02-03 04:05" || api.Metadata[engram.SourceDated] != nil || strings.Join(api.Tags, " ") != "auth api" {
		t.Errorf("the note is %+v", api)
	}
	if core := all.memory(t, "Core"); core.Content != "Core" || core.Type != engram.TypeManual {
		t.Errorf("an empty note is %+v", core)
	}
}

func TestTheAutoMemoryOfClaudeCode(t *testing.T) {
	dir := folder(t, map[string]string{
		"projects/-src-my-shop/memory/MEMORY.md":         "# Memory\n\n- [Tests](feedback_tests.md) — real database\n- [Ana](user_ana.md)\n\n## Gotchas\n\nPort 8443.\n",
		"projects/-src-my-shop/memory/feedback_tests.md": "---\nname: real-database\ndescription: tests use a real database\nmetadata:\n  type: feedback\n---\nNever mock it. See [[user_ana]].\n",
		"projects/-src-my-shop/memory/user_ana.md":       "---\nname: user_ana\ndescription: who Ana is\ntype: user\n---\nTen years of Go.\n",
		"projects/-src-my-shop/memory/debugging.md":      "## Patterns\n\nLook at the log.\n",
		"projects/-src-my-shop/9f.jsonl":                 `{"type":"summary"}` + "\n" + `{"cwd":"/src/my-shop/web"}` + "\n" + `{"cwd":"/src/my-shop"}` + "\n",
		"projects/-src-blog/memory/MEMORY.md":            "Hugo.\n",
		"projects/-src-empty/a.jsonl":                    "{}\n",
	})
	all := must(t, source.ClaudeCode, dir, source.Options{Here: "elsewhere"})
	same(t, "titles", all.titles(), []string{"MEMORY", "Gotchas", "Patterns", "real-database", "user ana"})
	same(t, "projects", []string{all.memories[0].Project, all.memory(t, "Gotchas").Project}, []string{"src-blog", "my-shop"})
	same(t, "relations", all.relations(), []string{"real-database relates_to user ana: links_to"})
	same(t, "notes", all.noted(), []string{"projects/-src-blog/memory/MEMORY.md: its project is named src-blog after the folder: its real name is unknown",
		"MEMORY.md:1: left out: pointers to topic files (2)"})
	feedback := all.memory(t, "real-database")
	if feedback.Type != engram.TypePolicy || feedback.Summary != "tests use a real database" || feedback.Metadata["source_type"] != "feedback" || feedback.Metadata["source_id"] != "feedback_tests.md" {
		t.Errorf("feedback is %+v", feedback)
	}
	if ana := all.memory(t, "user ana"); ana.Type != engram.TypePreference || ana.Scope != engram.ScopePersonal {
		t.Errorf("what is of the user is %+v", ana)
	}
	if m := all.memory(t, "Patterns"); m.Type != engram.TypePattern {
		t.Errorf("a file without front matter is %+v", m)
	}
	// Any of these folders gives the same memories.
	want := all.memory(t, "Gotchas").SyncID
	for _, path := range []string{"projects", "projects/-src-my-shop", "projects/-src-my-shop/memory"} {
		if got := must(t, source.ClaudeCode, filepath.Join(dir, path), source.Options{}).memory(t, "Gotchas").SyncID; got != want {
			t.Errorf("read from %s it is called %s, else %s", path, got, want)
		}
	}
	one := must(t, source.ClaudeCode, filepath.Join(dir, "projects/-src-my-shop/memory/user_ana.md"), source.Options{})
	same(t, "one file", one.titles(), []string{"user ana"})
	asked := ""
	named := must(t, source.ClaudeCode, filepath.Join(dir, "projects/-src-my-shop/memory"), source.Options{ProjectOf: func(_ context.Context, d string) string { asked = d; return "the-shop" }})
	if named.memories[0].Project != "the-shop" || asked != "/src/my-shop" {
		t.Errorf("the project of %q is %s, want that of /src/my-shop", asked, named.memories[0].Project)
	}
	here := must(t, source.ClaudeCode, filepath.Join(dir, "projects/-src-blog/memory"), source.Options{Here: "blog", HereDir: "/src/blog"})
	forced := must(t, source.ClaudeCode, filepath.Join(dir, "projects/-src-blog/memory"), source.Options{Here: "blog", Project: "Forced"})
	alike := must(t, source.ClaudeCode, folder(t, map[string]string{"-a/memory/MEMORY.md": "Same.\n", "-b/memory/MEMORY.md": "Same.\n"}), source.Options{})
	if len(alike.memories) != 2 {
		t.Errorf("of the same text in two projects came %+v, want both", alike.memories)
	}
	same(t, "projects", []string{here.memories[0].Project, forced.memories[0].Project}, []string{"blog", "forced"})
}

func TestLinksThatLeadOutAreNotFollowed(t *testing.T) {
	dir := folder(t, map[string]string{"v/a.md": "inside", "secret.md": "outside", "secrets/b.md": "outside too", "v/AGENTS.md": "rules"})
	for from, to := range map[string]string{"v/out.md": "../secret.md", "v/dir": "../secrets", "v/CLAUDE.md": "AGENTS.md", "v/gone.md": "nowhere.md", "v/ring.md": "ring.md"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	all := must(t, source.BasicMemory, filepath.Join(dir, "v"), source.Options{})
	same(t, "flaws", all.flaws(), []string{"gone.md: it is a link out of the folder, or to nothing", "out.md: it is a link out of the folder, or to nothing",
		"ring.md: it is a link out of the folder, or to nothing"})
	for _, m := range all.memories {
		if strings.Contains(m.Content, "outside") {
			t.Errorf("%q came in from outside", m.Content)
		}
	}
	same(t, "a link that stays inside", must(t, source.MemoryMD, filepath.Join(dir, "v"), source.Options{}).noted(), []string{"CLAUDE.md:1: left out: same text as AGENTS.md:1"})
}

func TestWhatIsCalledAlikeIsNotLost(t *testing.T) {
	for _, tt := range []struct {
		name   string
		system source.System
		files  map[string]string
	}{
		{"sections under the same headings", source.MemoryMD, map[string]string{"AGENTS.md": "## A\n\none\n\n## A\n\ntwo\n\n## A#2\n\nthree\n\n## A\n\nfour\n"}},
		{"notes of one permalink", source.BasicMemory, map[string]string{"a.md": "---\npermalink: x\n---\none", "b.md": "---\npermalink: x\n---\ntwo", "c/x.md": "three", "x.md": "four"}},
		{"topics of two folders of a project", source.ClaudeCode, map[string]string{
			"-a/memory/t.md": "---\nname: t\n---\none", "-b/memory/t.md": "---\nname: t\n---\ntwo", "-a/memory/MEMORY.md": "three", "-b/memory/MEMORY.md": "four"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := must(t, tt.system, folder(t, tt.files), source.Options{Project: "shop"})
			texts := map[string]string{}
			for _, m := range all.memories {
				texts[m.SyncID] = m.Content
			}
			if len(texts) != 4 {
				t.Errorf("%d memories under %d names, want four: %v", len(all.memories), len(texts), texts)
			}
		})
	}
}

func TestPagesThatCannotBeRead(t *testing.T) {
	dir := folder(t, map[string]string{"a.md": "good", "binary.md": "\xff\xfe\x00", "huge.md": strings.Repeat("x", 17<<20)})
	all := must(t, source.Markdown, dir, source.Options{})
	same(t, "flaws", all.flaws(), []string{"binary.md: it is binary data, not Markdown", "huge.md: it has 17825792 bytes, the limit is 16777216"})
	same(t, "titles", all.titles(), []string{"a"})
}

func TestWhatIsNoMarkdownIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a database", "SQLite format 3\x00and more", "it is a SQLite database, not Markdown"},
		{"a packed file", "\x1f\x8b\x08\x00", "it is a gzip file, not Markdown"},
		{"bytes of zero", "text\x00text", "it is binary data, not Markdown"},
		{"JSON that is cut off", "\n{\n  \"name\": \"Ana\", \"obs", "it is JSON, not Markdown"},
		{"a list of JSON", `[ {"a":1}]`, "it is JSON, not Markdown"},
		{"Latin-1", "caf\xe9", "it is not valid UTF-8"},
		{"a text with braces", "{{ template }}\n\n[{link}](x.md)\n", ""},
		{"a link first", "[a](b.md) \n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, s := range []source.System{source.Markdown, source.MemoryMD, source.BasicMemory, source.ClaudeCode} {
				want := []string(nil)
				if tt.want != "" {
					want = []string{"page.md: " + tt.want}
				}
				all := must(t, s, filepath.Join(folder(t, map[string]string{"page.md": tt.text}), "page.md"), source.Options{})
				same(t, fmt.Sprintf("flaws of %q as %s", tt.text, s), all.flaws(), want)
			}
		})
	}
	_, err := open(t, source.ClaudeCode, filepath.Join(folder(t, map[string]string{"memory/a.jsonl": "{}"}), "memory/a.jsonl"), source.Options{})
	if engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("a file that is no Markdown as memory of Claude Code: %v, want CodeInvalid", err)
	}
}

func FuzzPages(f *testing.F) {
	f.Add(agents)
	f.Add("---\ntitle: \"a: b\"\ntags:\n  - x\n  - 'y z'\nnote: |\n  two\n  lines\nfolded: >-\n  a\n  b\nmap:\n  inner: [1, \"2, 3\"]\n---\n- [c] text #t (x)\n- a [[B|c]]\n")
	f.Add("---\n---\n- \n-\n1. x\n2) y\n~~~\n# z\n~~~~\n####### no\n#\tyes\n## both ##\n")
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		for _, name := range []string{"AGENTS.md", "reflexes.md", "memory/MEMORY.md", "memory/topic.md"} {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range []source.System{source.MemoryMD, source.Markdown, source.BasicMemory, source.ClaudeCode} {
			all := must(t, s, dir, source.Options{Here: "shop"})
			names := map[string]bool{}
			for _, r := range all.records {
				if r.Item == "" || r.Entity() == "" && r.Flaw == nil {
					t.Errorf("%s of %q: record %+v has no place or says nothing", s, text, r)
				}
				if m := r.Memory; m != nil {
					if names[m.Memory.SyncID] || !utf8.ValidString(m.Memory.Title+m.Memory.Content) || strings.TrimSpace(m.Memory.Content) == "" && strings.TrimSpace(text) != "" && s != source.ClaudeCode {
						t.Errorf("%s of %q: %+v is there twice, broken or empty", s, text, m.Memory)
					}
					names[m.Memory.SyncID] = true
				}
			}
		}
	})
}
