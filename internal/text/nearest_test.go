package text_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/text"
)

func TestNearest(t *testing.T) {
	words := []string{"save", "search", "session", "stats", "serve", "projects", "mem", "mem_stats", "Größe"}
	for _, tt := range []struct{ name, word, want string }{
		{"letters that changed places", "serach", "search"},
		{"a letter too few", "sav", "save"},
		{"upper case is no edit", "SEARCH", "search"},
		{"a candidate keeps its own case", "größe", "Größe"},
		{"a beginning", "proj", "projects"},
		{"a letter too many", "sessions", "session"},
		{"what begins with a candidate", "memory", "mem"},
		{"of two that begin alike the one with fewer edits", "mem_stat", "mem_stats"},
		{"nothing is near", "recall", ""},
		{"no word", "", ""},
		{"one letter says nothing", "x", ""},
		{"a text is no typing error", strings.Repeat("search", 100), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := text.Nearest(tt.word, words); got != tt.want {
				t.Errorf("Nearest(%.20q): got %q, want %q", tt.word, got, tt.want)
			}
		})
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"größe", "grösse", 2}, {"数据库", "数库", 1}, {"flaw", "lawn", 2},
	} {
		if got := text.Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q): got %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := text.Distance(tt.b, tt.a); got != tt.want {
			t.Errorf("Distance(%q, %q): got %d, want %d as the other way round", tt.b, tt.a, got, tt.want)
		}
	}
}
