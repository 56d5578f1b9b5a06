package plugin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/plugin"
)

// repeated is a place in a Markdown file that repeats a variant of the protocol: as it is,
// or fenced where people read it.
var repeated = regexp.MustCompile("(?s)<!-- protocol: ([a-z-]+) -->\n(.*?)<!-- /protocol -->")

// After a change of protocol.md run this test with -update, which updates every copy.
func TestWhatRepeatsTheProtocolSaysTheSame(t *testing.T) {
	for _, tt := range []struct {
		file          string
		before, after string // around each text
		variants      []plugin.Variant
	}{
		{"antigravity/SKILL.md", "", "\n", []plugin.Variant{plugin.Shell}},
		{"../docs/protocol.md", "```text\n", "\n```\n", []plugin.Variant{plugin.NoHooks}},
	} {
		file := filepath.FromSlash(tt.file)
		had := readAsset(t, file)
		var found []plugin.Variant
		want := repeated.ReplaceAllStringFunc(had, func(place string) string {
			v := plugin.Variant(repeated.FindStringSubmatch(place)[1])
			found = append(found, v)
			return "<!-- protocol: " + string(v) + " -->\n" + tt.before + plugin.Protocol(v) + tt.after + "<!-- /protocol -->"
		})
		if len(found) != len(tt.variants) {
			t.Errorf("%s repeats %q, want %q", tt.file, found, tt.variants)
		}
		for i := range min(len(found), len(tt.variants)) {
			if found[i] != tt.variants[i] {
				t.Errorf("%s: place %d repeats %s, want %s", tt.file, i+1, found[i], tt.variants[i])
			}
		}
		if *update && had != want {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if had != want {
			t.Errorf("%s does not say what protocol.md does; run go test ./plugin -update", tt.file)
		}
	}
}

// readers says to whom each variant is told, and where it stands.
func readers() map[plugin.Variant][2]string {
	return map[plugin.Variant][2]string{
		plugin.Hooks:   {"agents whose hooks call `engram hook`", "the skill of the Claude Code plugin, the plugin of OpenCode, rules of agents with hooks"},
		plugin.NoHooks: {"agents with the `mem_*` tools and no hooks", "their rules or system prompt, by `engram setup`"},
		plugin.Shell:   {"agents that run commands", "the [Antigravity skill](../plugin/antigravity/SKILL.md)"},
		plugin.Server:  {"clients that are offered the `agent` profile", "instructions of the MCP server"},
		plugin.Core:    {"small models, offered the `core` profile", "instructions of the MCP server"},
		plugin.Memory:  {"clients that are offered the `memory_*` tools", "instructions of the MCP server"},
		plugin.Recall:  {"clients that are offered `remember` and `recall`", "instructions of the MCP server"},
		plugin.Any:     {"clients that are offered another choice of tools", "instructions of the MCP server"},
	}
}

func TestEveryVariantIsInTheTableOfTheDocs(t *testing.T) {
	const begins, ends = "<!-- variants -->\n", "<!-- /variants -->\n"
	file := filepath.FromSlash("../docs/protocol.md")
	page := readAsset(t, file)
	before, rest, found := strings.Cut(page, begins)
	had, after, closed := strings.Cut(rest, ends)
	if !found || !closed {
		t.Fatalf("%s has no place for the table: %q … %q", file, begins, ends)
	}
	table := "| variant | for | where | tokens |\n|---|---|---|--:|\n"
	for _, v := range plugin.Variants() {
		who, name := readers()[v], fmt.Sprintf("`%s`", v)
		if strings.Contains(page, fmt.Sprintf("<!-- protocol: %s -->", v)) {
			name = fmt.Sprintf("[`%s`](#%s)", v, v)
		}
		table += fmt.Sprintf("| %s | %s | %s | %d |\n", name, who[0], who[1], tokens(t, plugin.Protocol(v)))
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+begins+table+ends+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if had != table {
		t.Errorf("%s is not up to date; run go test ./plugin -update\ngot\n%s\nwant\n%s", file, had, table)
	}
}
