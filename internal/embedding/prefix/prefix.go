// Package prefix is what models want before a text: many were trained with "query: " before questions and "passage: "
// before what answers them, and find worse without. It is pure.
package prefix

import (
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Set is what goes before texts by their role; nothing before those of other roles.
type Set map[engram.Role]string

// With returns a set with the prefixes of instead, in place of those that s has for their roles.
func (s Set) With(instead Set) Set {
	if len(instead) == 0 {
		return s
	}
	all := Set{}
	maps.Copy(all, s)
	maps.Copy(all, instead)
	return all
}

// Mark is the part of a model's fingerprint that tells vectors of memories with different prefixes apart: "" without a
// prefix.
func (s Set) Mark() string {
	if s[engram.RoleMemory] == "" {
		return ""
	}
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(s[engram.RoleMemory])) // a hash does not fail
	return fmt.Sprintf("/p%08x", sum.Sum32())
}

// Fits reports whether a model with a fingerprint may have embedded memories with these prefixes.
func (s Set) Fits(fingerprint string) bool {
	mark := s.Mark()
	if mark != "" {
		return strings.HasSuffix(fingerprint, mark)
	}
	return !marked.MatchString(fingerprint)
}

// marked is the end of fingerprints with a mark.
var marked = regexp.MustCompile("/p[0-9a-f]{8}$")

// instruction is what bge's English models and others want before a question; asked is what newer ones want.
const (
	instruction = "Represent this sentence for searching relevant passages: "
	asked       = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
)

// A family is models whose names have all of words.
type family struct {
	words         []string
	query, memory string
}

// families are as their authors' descriptions of the models have them. The first that fits counts.
func families() []family {
	return []family{
		{[]string{"e5-", "instruct"}, asked + " ", ""},
		{[]string{"e5-"}, "query: ", "passage: "},
		{[]string{"nomic-embed-text"}, "search_query: ", "search_document: "},
		{[]string{"bge-", "-en"}, instruction, ""},
		{[]string{"bge-", "-zh"}, "为这个句子生成表示以用于检索相关文章：", ""},
		{[]string{"mxbai-embed-large"}, instruction, ""},
		{[]string{"arctic-embed2"}, "query: ", ""},
		{[]string{"arctic-embed", "-v2"}, "query: ", ""},
		{[]string{"arctic-embed"}, instruction, ""},
		{[]string{"embeddinggemma"}, "task: search result | query: ", "title: none | text: "},
		{[]string{"qwen3-embedding"}, asked, ""},
	}
}

// Of returns what a published model wants, by its name, in which others may stand before and after:
// text-embedding-nomic-embed-text-v1.5@q8_0. It is empty for models that are not known.
func Of(name string) Set {
	name = strings.ToLower(name)
next:
	for _, f := range families() {
		for _, word := range f.words {
			if !strings.Contains(name, word) {
				continue next
			}
		}
		s := Set{engram.RoleQuery: f.query}
		if f.memory != "" {
			s[engram.RoleMemory] = f.memory
		}
		return s
	}
	return nil
}

// Prompts is what a folder of sentence-transformers says, in config_sentence_transformers.json.
//
// Source: https://sbert.net/docs/package_reference/sentence_transformer/SentenceTransformer.html (encode_query, encode_document)
type Prompts struct {
	Prompts map[string]string `json:"prompts"`
	Default string            `json:"default_prompt_name"`
}

// Set returns the prefixes of prompts; nil if they say none, as those of models that were saved without any do.
func (p Prompts) Set() Set {
	s := Set{}
	for role, names := range map[engram.Role][]string{
		engram.RoleQuery: {"query", p.Default}, engram.RoleMemory: {"document", "passage", "corpus", p.Default},
	} {
		for _, name := range names {
			if prompt, says := p.Prompts[name]; says {
				if prompt != "" {
					s[role] = prompt
				}
				break
			}
		}
	}
	if len(s) == 0 {
		return nil
	}
	return s
}

// most is the longest prefix in bytes: a window has to have room for a text beside it.
const most = 400

// Check returns CodeInvalid for a prefix that is too long.
func (s Set) Check() error {
	for _, role := range []engram.Role{engram.RoleQuery, engram.RoleMemory} {
		if n := len(s[role]); n > most {
			return engram.Errorf(engram.CodeInvalid, "the model wants %d bytes before a text, and at most %d are supported", n, most)
		}
	}
	return nil
}
