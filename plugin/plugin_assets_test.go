package plugin_test

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/plugin"
)

var update = flag.Bool("update", false, "write the skills that are made from protocol.md instead of comparing")

// memorySkill is the skill of Claude Code: when to load it, and the protocol.
func memorySkill() string {
	return `---
name: memory
description: Persistent memory across sessions (Engram). Use at the start of work, before a decision, after a fix or discovery, and when the user says remember, recall or last time.
---

` + plugin.Protocol(plugin.Hooks) + "\n"
}

// openCodeSkill is the line of the OpenCode plugin that holds the protocol for V2 of its API.
var openCodeSkill = regexp.MustCompile(`(?m)^const skill = .*$`)

func TestThePluginOfOpenCodeHoldsTheProtocol(t *testing.T) {
	file := filepath.Join("opencode", "engram.ts")
	text, err := json.Marshal(plugin.Protocol(plugin.Hooks))
	if err != nil {
		t.Fatal(err)
	}
	want := "const skill = " + string(text)
	source := readAsset(t, file)
	if *update {
		source = openCodeSkill.ReplaceAllLiteralString(source, want)
		if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := openCodeSkill.FindString(source); got != want {
		t.Errorf("%s: its skill is not what protocol.md makes of it; run go test ./plugin -update\ngot  %s\nwant %s", file, got, want)
	}
}

func TestTheSkillIsMadeFromTheProtocol(t *testing.T) {
	file := filepath.Join("claude-code", "skills", "memory", "SKILL.md")
	if *update {
		if err := os.WriteFile(file, []byte(memorySkill()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := readAsset(t, file), memorySkill(); got != want {
		t.Errorf("%s is not what protocol.md makes of it; run go test ./plugin -update\ngot\n%s\nwant\n%s", file, got, want)
	}
}

// assetsOf are the files of every agent, by agent and path.
func assetsOf(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, agent := range plugin.Agents() {
		files, err := plugin.Files(agent)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range all(t, files) {
			found[path.Join(agent, name)] = text
		}
	}
	return found
}

func TestAssetsThatAreJSONParse(t *testing.T) {
	seen := 0
	for name, text := range assetsOf(t) {
		if path.Ext(name) != ".json" {
			continue
		}
		seen++
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if seen < 3 {
		t.Errorf("saw %d files of JSON, want the manifest, the server and the hooks of Claude Code", seen)
	}
}

// The placeholders that setup fills in; README.md describes them.
func TestAssetsHaveOnlyPlaceholdersThatSetupFills(t *testing.T) {
	known := []string{"__ENGRAM__", "__DATA_DIR_ARGS__", "__ENGRAM_SHELL__", "__ENGRAM_POWERSHELL__", "__ENGRAM_VERSION__"}
	placeholder := regexp.MustCompile(`__[A-Z][A-Z_]*__`)
	for name, text := range assetsOf(t) {
		if path.Base(name) == "README.md" {
			continue
		}
		for _, p := range placeholder.FindAllString(text, -1) {
			if !slices.Contains(known, p) {
				t.Errorf("%s has the placeholder %s, which nothing fills in", name, p)
			}
		}
		for _, quoted := range []string{"__ENGRAM__", "__DATA_DIR_ARGS__"} {
			if strings.Count(text, quoted) != strings.Count(text, `"`+quoted+`"`) {
				t.Errorf("%s has %s without its quotes, and setup leaves it as it is", name, quoted)
			}
		}
	}
}

func TestCommandsSayWhatTheyDo(t *testing.T) {
	var seen []string
	for name, text := range assetsOf(t) {
		if path.Base(path.Dir(name)) != "commands" || path.Ext(name) != ".md" {
			continue
		}
		seen = append(seen, name)
		front, _, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
		if !ok || !strings.HasPrefix(text, "---\n") || !strings.Contains("\n"+front, "\ndescription: ") {
			t.Errorf("%s: got %q, want front matter with a description", name, front)
		}
	}
	for _, agent := range []string{"claude-code", "opencode"} {
		for _, command := range []string{"remember", "recall", "memory-status", "forget"} {
			if !slices.Contains(seen, path.Join(agent, "commands", command+".md")) {
				t.Errorf("%s has no command %s among %q", agent, command, seen)
			}
		}
	}
}

// A plugin is small: it is read by people before they trust it.
func TestAssetsAreSmall(t *testing.T) {
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > 32<<10 {
			t.Errorf("%s has %d bytes, want at most 32 KiB", name, info.Size())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
