package widget_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/tui/theme"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

func TestWordsOfAQuestionAreMarked(t *testing.T) {
	th := theme.Named("mocha")
	for _, tt := range []struct{ name, question, text, want string }{
		{"whole words", "access tokens live", "Access tokens live; inaccessible tokenizer", "Access|tokens|live"},
		{"inflected words", "caching pages expired", "The cache of a page expires", "cache|page|expires"},
		{"the word that is being typed", "tok", "token of a stockist", "token"},
		{"an earlier word is whole", "tok live", "token lives", "lives"},
		{"common and short words are not", "how is the db", "how is the db", ""},
		{"scripts without spaces", "支払い", "この支払いは", "支払い"},
		{"letters that change their length in lower case", "istanbul", "İstanbul", ""},
		{"no question", "", "text", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got, all []string
			for _, s := range widget.Highlighted(tt.text, widget.QuestionWords(tt.question), th.Text, th.Match) {
				if all = append(all, s.Text); s.Style == th.Match {
					got = append(got, s.Text)
				}
			}
			var want []string
			if tt.want != "" {
				want = strings.Split(tt.want, "|")
			}
			if !slices.Equal(got, want) || strings.Join(all, "") != tt.text {
				t.Errorf("%q in %q: marked %q of %q, want %q", tt.question, tt.text, got, all, want)
			}
		})
	}
}
