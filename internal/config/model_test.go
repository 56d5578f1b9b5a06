package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/config"
)

// A model is named as its repository names it, and has to be there: else search goes on with the built-in one.
func TestModelsAreThoseInstalled(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"bge-small-en-v1.5", ".adding-x"} {
		if err := os.MkdirAll(filepath.Join(dir, "models", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		value, want string
		remark      bool
	}{
		{"builtin", config.BuiltIn, false},
		{"NONE", config.NoModel, false},
		{"bge-small-en-v1.5", "bge-small-en-v1.5", false},
		{"Xenova/BGE-small-en-v1.5", "bge-small-en-v1.5", false},
		{"BAAI/bge-m3", config.BuiltIn, true},
		{".adding-x", config.BuiltIn, true},
		{"..", config.BuiltIn, true},
		{"../models", config.BuiltIn, true},
	} {
		env := map[string]string{"ENGRAM_DATA_DIR": dir, "ENGRAM_EMBEDDING_MODEL": tt.value, "ENGRAM_RERANK_MODEL": tt.value}
		c, err := config.Load(config.Sources{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
		if err != nil {
			t.Fatal(err)
		}
		reranker := tt.want
		if reranker == config.BuiltIn {
			reranker = config.NoModel
		}
		if c.EmbeddingModel != tt.want || c.RerankModel != reranker {
			t.Errorf("%q: embeds by %s, reranks by %s; want %s, %s", tt.value, c.EmbeddingModel, c.RerankModel, tt.want, reranker)
		}
		var remarks string
		for _, r := range c.Remarks {
			if r.Key == "embedding_model" {
				remarks += r.String()
			}
		}
		if strings.Contains(remarks, "model add FOLDER") != tt.remark {
			t.Errorf("%q: the remarks are %q", tt.value, remarks)
		}
	}
}

// A model at a server is named with its protocol, and perhaps an address. The key comes from the environment alone.
func TestModelsOfServers(t *testing.T) {
	load := func(t *testing.T, value, offline string) config.Config {
		t.Helper()
		env := map[string]string{"ENGRAM_DATA_DIR": t.TempDir(), "ENGRAM_EMBEDDING_MODEL": value, "ENGRAM_RERANK_MODEL": value,
			"ENGRAM_EMBEDDING_API_KEY": "hunter2", "ENGRAM_OFFLINE": offline}
		c, err := config.Load(config.Sources{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, tt := range []struct {
		value string
		want  config.Served
		far   bool
	}{
		{"ollama:bge-m3", config.Served{API: "ollama", Model: "bge-m3"}, false},
		{" Ollama:library/bge-m3:567m ", config.Served{API: "ollama", Model: "library/bge-m3:567m"}, false},
		{"ollama:bge-m3@http://127.0.0.1:11434", config.Served{API: "ollama", Model: "bge-m3", URL: "http://127.0.0.1:11434"}, false},
		{"openai:text-embedding-bge-small", config.Served{API: "openai", Model: "text-embedding-bge-small"}, false},
		{"openai:m@x@http://[::1]:8080/v1", config.Served{API: "openai", Model: "m@x", URL: "http://[::1]:8080/v1"}, false},
		{"openai:m@https://api.example.com/v1", config.Served{API: "openai", Model: "m", URL: "https://api.example.com/v1"}, true},
	} {
		c := load(t, tt.value, "")
		got, ok, err := config.ServedOf(c.EmbeddingModel)
		if !ok || err != nil || got != tt.want || c.EmbeddingKey != "hunter2" {
			t.Errorf("%q: embeds by %q: %+v, %v, %v, want %+v", tt.value, c.EmbeddingModel, got, ok, err, tt.want)
		}
		if wants := tt.want.API == "openai"; (c.RerankModel == tt.want.String()) != wants {
			t.Errorf("%q: reranks by %q", tt.value, c.RerankModel)
		}
		for _, offline := range []string{"", "true"} {
			if err := load(t, tt.value, offline).MaySend(got); (err != nil) != (tt.far && offline != "") {
				t.Errorf("%q, offline %q: %v", tt.value, offline, err)
			}
		}
	}
	for _, bad := range []string{"ollama:", "openai: ", "ollama:m@localhost", "openai:m@ftp://x/v1", "openai:@http://x", "openai:m@http://",
		"openai:m@http://u:hunter2@x/v1", "openai:m@http://x/v1?key=hunter2", "openai:m@http://x/v1#hunter2", "openai:m@http://[hunter2"} {
		c := load(t, bad, "")
		if c.EmbeddingModel != config.BuiltIn || c.RerankModel != config.NoModel || len(c.Remarks) != 2 {
			t.Errorf("%q: embeds by %s, reranks by %s, remarks %v", bad, c.EmbeddingModel, c.RerankModel, c.Remarks)
		}
		for _, r := range c.Remarks {
			if strings.Contains(r.String(), "hunter2") {
				t.Errorf("%q: the remark repeats a secret: %s", bad, r)
			}
		}
	}
}

func TestTheKeyOfAModelIsNotInTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), config.FileName)
	if _, err := config.Set(path, "embedding_key", "hunter2"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("set: got %v", err)
	}
	if err := os.WriteFile(path, []byte("embedding_key = \"hunter2\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(config.Sources{File: path, Env: func(name string) (string, bool) { return filepath.Dir(path), name == "ENGRAM_DATA_DIR" }})
	if err != nil || c.EmbeddingKey != "" || len(c.Remarks) != 1 || strings.Contains(c.Remarks[0].String(), "hunter2") || !strings.Contains(c.Remarks[0].Text, "ENGRAM_EMBEDDING_API_KEY") {
		t.Errorf("got key %q, remarks %v, %v", c.EmbeddingKey, c.Remarks, err)
	}
}

// What goes before texts for a model is kept as it is written, but for the blanks around it.
func TestPrefixes(t *testing.T) {
	for value, want := range map[string]string{"query:": "query:", " search query: ": "search query:", "none": "none", "Instruct: find\nQuery:": "Instruct: find\nQuery:", strings.Repeat("x", 301): ""} {
		env := map[string]string{"ENGRAM_DATA_DIR": t.TempDir(), "ENGRAM_EMBEDDING_QUERY_PREFIX": value, "ENGRAM_EMBEDDING_MEMORY_PREFIX": value}
		c, err := config.Load(config.Sources{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
		if err != nil || c.EmbeddingQueryPrefix != want || c.EmbeddingMemoryPrefix != want || (len(c.Remarks) > 0) != (want == "") {
			t.Errorf("%q: %q, %q, remarks %v, %v", value, c.EmbeddingQueryPrefix, c.EmbeddingMemoryPrefix, c.Remarks, err)
		}
	}
}
