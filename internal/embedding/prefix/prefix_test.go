package prefix_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/prefix"
)

func TestPublishedModels(t *testing.T) {
	for name, want := range map[string][2]string{
		"intfloat/multilingual-e5-small":            {"query: ", "passage: "},
		"e5-base-v2":                                {"query: ", "passage: "},
		"multilingual-e5-large-instruct":            {"Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ", ""},
		"nomic-embed-text:v1.5":                     {"search_query: ", "search_document: "},
		"text-embedding-nomic-embed-text-v1.5@q8_0": {"search_query: ", "search_document: "},
		"BAAI/bge-small-en-v1.5":                    {"Represent this sentence for searching relevant passages: ", ""},
		"bge-large-zh":                              {"为这个句子生成表示以用于检索相关文章：", ""},
		"mxbai-embed-large:latest":                  {"Represent this sentence for searching relevant passages: ", ""},
		"snowflake-arctic-embed:33m":                {"Represent this sentence for searching relevant passages: ", ""},
		"snowflake-arctic-embed2":                   {"query: ", ""},
		"Snowflake/snowflake-arctic-embed-l-v2.0":   {"query: ", ""},
		"EmbeddingGemma:300m":                       {"task: search result | query: ", "title: none | text: "},
		"bge-m3":                                    {}, "all-MiniLM-L6-v2": {}, "e5": {}, "": {},
	} {
		s := prefix.Of(name)
		if s[engram.RoleQuery] != want[0] || s[engram.RoleMemory] != want[1] || s.Check() != nil {
			t.Errorf("%s: got %q, want %q", name, s, want)
		}
		if marked := s.Mark() != ""; marked != (want[1] != "") {
			t.Errorf("%s: the mark is %q", name, s.Mark())
		}
	}
}

func TestPromptsOfAFolder(t *testing.T) {
	for file, want := range map[string]prefix.Set{
		`{"prompts":{"query":"query: ","passage":"passage: "}}`:                           {engram.RoleQuery: "query: ", engram.RoleMemory: "passage: "},
		`{"prompts":{"query":"Q: ","document":"D: ","passage":"P: "}}`:                    {engram.RoleQuery: "Q: ", engram.RoleMemory: "D: "},
		`{"prompts":{"query":"Q: ","document":""},"default_prompt_name":"query"}`:         {engram.RoleQuery: "Q: "},
		`{"prompts":{"retrieval":"R: "},"default_prompt_name":"retrieval"}`:               {engram.RoleQuery: "R: ", engram.RoleMemory: "R: "},
		`{"prompts":{"query":"","document":""},"default_prompt_name":null}`:               nil,
		`{"prompts":{"classification":"C: "}}`:                                            nil,
		`{"__version__":{"sentence_transformers":"2.2.2"},"similarity_fn_name":"cosine"}`: nil,
	} {
		var p prefix.Prompts
		if err := json.Unmarshal([]byte(file), &p); err != nil {
			t.Fatal(err)
		}
		if got := p.Set(); !maps.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%s: got %q, want %q", file, got, want)
		}
	}
}

func TestWhatIsSetTakesThePlaceOfWhatIsKnown(t *testing.T) {
	known := prefix.Set{engram.RoleQuery: "query: ", engram.RoleMemory: "passage: "}
	for _, tt := range []struct{ instead, want prefix.Set }{
		{nil, known},
		{prefix.Set{engram.RoleMemory: ""}, prefix.Set{engram.RoleQuery: "query: ", engram.RoleMemory: ""}},
		{prefix.Set{engram.RoleQuery: "Q: "}, prefix.Set{engram.RoleQuery: "Q: ", engram.RoleMemory: "passage: "}},
	} {
		if got := known.With(tt.instead); !maps.Equal(got, tt.want) {
			t.Errorf("with %q: got %q, want %q", tt.instead, got, tt.want)
		}
	}
	if known[engram.RoleMemory] != "passage: " {
		t.Error("the set itself was changed")
	}
}

// Vectors of memories with another prefix are of another model; what goes before questions changes none.
func TestMarksTellPrefixesOfMemoriesApart(t *testing.T) {
	passage, other := prefix.Set{engram.RoleMemory: "passage: "}, prefix.Set{engram.RoleMemory: "passage"}
	if passage.Mark() == other.Mark() || passage.Mark() == "" || (prefix.Set{engram.RoleQuery: "query: "}).Mark() != "" || prefix.Set(nil).Mark() != "" {
		t.Errorf("marks %q and %q", passage.Mark(), other.Mark())
	}
	for _, set := range []prefix.Set{nil, passage, other} {
		for _, of := range []prefix.Set{nil, passage, other} {
			if fits := set.Fits("ollama:m@0123/768" + of.Mark()); fits != (set.Mark() == of.Mark()) {
				t.Errorf("vectors with %q fit %q: %t", of, set, fits)
			}
		}
	}
	if (prefix.Set{engram.RoleQuery: strings.Repeat("x", 401)}).Check() == nil {
		t.Error("a prefix without an end is taken")
	}
}
