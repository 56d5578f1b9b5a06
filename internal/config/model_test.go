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
		{"ollama:bge-m3", config.BuiltIn, true},
		{"ollama:x/bge-small-en-v1.5", config.BuiltIn, true}, // a server's model is not the installed one
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
