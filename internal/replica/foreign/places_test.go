package foreign_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/replica/foreign"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

func TestUsualPlaces(t *testing.T) {
	home := folder(t, map[string]string{
		".basic-memory/config.json":           `{"projects":{"main":"~/notes","work":{"path":"WORK"},"gone":"/nowhere"}}`,
		"notes/a.md":                          "a",
		"work/b.md":                           "b",
		".claude/projects/-src-shop/memory/x": "",
		"graph/memory.jsonl":                  "",
		"src/shop/AGENTS.md":                  "a",
		"src/shop/reflexes.md":                "a",
		".npm/_npx/1a/node_modules/@modelcontextprotocol/server-memory/dist/memory.json":  "",
		".npm/_npx/1a/node_modules/@modelcontextprotocol/server-memory/dist/memory.jsonl": "",
		"text/claude-mem.db": "not one",
	})
	config := filepath.Join(home, ".basic-memory", "config.json")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(strings.Replace(string(text), "WORK", filepath.ToSlash(filepath.Join(home, "work")), 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, schema := range map[string]string{".claude-mem/claude-mem.db": cmSchema, ".engram/engram.db": memSchema, "own/engram.db": "PRAGMA application_id = 7; CREATE TABLE memories (id)"} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		run(t, path, schema)
	}
	dist := ".npm/_npx/1a/node_modules/@modelcontextprotocol/server-memory/dist/"
	for _, tt := range []struct {
		name   string
		system source.System
		dir    string
		env    map[string]string
		want   string
	}{
		{"a database below the home", source.ClaudeMem, "", nil, ".claude-mem/claude-mem.db"},
		{"a database that the environment names is none", source.ClaudeMem, "", map[string]string{"CLAUDE_MEM_DATA_DIR": "~/text"}, ".claude-mem/claude-mem.db"},
		{"the database of a mem_* program", source.Engram, "", nil, ".engram/engram.db"},
		{"a database of this program is left out", source.Engram, "", map[string]string{"ENGRAM_DATA_DIR": "~/own"}, ".engram/engram.db"},
		{"the file that the environment names", source.MCPMemory, "", map[string]string{"MEMORY_FILE_PATH": "~/graph/memory.jsonl"}, "graph/memory.jsonl " + dist + "memory.json " + dist + "memory.jsonl"},
		{"the projects that basic-memory knows", source.BasicMemory, "", nil, "notes work"},
		{"the memory of the folder above", source.ClaudeCode, "/src/shop/web/app", nil, ".claude/projects/-src-shop/memory"},
		{"no memory of another folder", source.ClaudeCode, "/src/blog", nil, ""},
		{"instructions in the folder", source.MemoryMD, filepath.Join(home, "src/shop"), nil, "src/shop"},
		{"pages in the folder", source.Markdown, filepath.Join(home, "src/shop"), nil, "src/shop"},
		{"a folder without either", source.Markdown, filepath.Join(home, "notes"), nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := foreign.Where{Home: home, Dir: tt.dir, Env: func(name string) (string, bool) { v, ok := tt.env[name]; return v, ok }}
			var got []string
			for _, p := range foreign.Places(tt.system, w) {
				rel, err := filepath.Rel(home, p)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(rel))
			}
			same(t, tt.name, got, strings.Fields(tt.want))
		})
	}
	if p := foreign.Places(source.ClaudeMem, foreign.Where{}); len(p) != 0 {
		t.Errorf("without a home there is %v, want nothing", p)
	}
}
