package capture_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/capture"
)

func TestPlacesThatATextNames(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a path in a sentence", "The floor is in internal/retrieval/floor.go.", "internal/retrieval/floor.go"},
		{"in backticks, with a line", "see `internal/a.go:12` and (cmd/x/main.go:3-9)", "internal/a.go:12 cmd/x/main.go:3-9"},
		{"with a column, as compilers write it", "a/b.go:12:5: undefined: x", "a/b.go:12"},
		{"as an address of a page has lines", "docs/x.md#L3-L9, docs/y.md#L4", "docs/x.md:3-9 docs/y.md:4"},
		{"a name alone", "go.mod says 1.26; so does Makefile.am!", "go.mod Makefile.am"},
		{"from the folder one is in", "./run.sh", "run.sh"},
		{"without an ending, in a folder", "bin/engram is built, not just built", "bin/engram"},
		{"each once", "a/b.go and a/b.go", "a/b.go"},
		{"other letters", "наследие/файл.go、src/日本.ts", "наследие/файл.go src/日本.ts"},
		{"addresses are none", "https://example.com/a/b.go git@host:a/b.git me@x.org s3://b/c.txt //host/x.go", ""},
		{"nor are numbers, versions and dates", "1.5 v1.2.3 2026/01/02 3/4 10.0.0.1 12:30 1/2.5", ""},
		{"nor what leads out", "../x.go a/../b.go ~/x.go $HOME/x.go C:\\x.go", ""},
		{"nor folders and dots", "internal/ ... .. . / e.g. i.e.", "e.g i.e"},
		{"none", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range capture.Places(tt.text) {
				got = append(got, p.String())
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("Places(%q)\n got %q\nwant %q", tt.text, strings.Join(got, " "), tt.want)
			}
		})
	}
	if n := len(capture.Places(strings.Repeat("a.go b.go ", 9) + manyPaths(100))); n != capture.MostPlaces {
		t.Errorf("of a hundred places %d are seen, want %d", n, capture.MostPlaces)
	}
}

func manyPaths(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("x", i+1) + ".go ")
	}
	return b.String()
}

func BenchmarkPlaces(b *testing.B) {
	text := strings.Repeat("The pool has 20 connections, as internal/db/pool.go:12 says; more e.g. would not help. ", 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		capture.Places(text)
	}
}
