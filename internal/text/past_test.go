package text_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/text"
)

func TestAsksPast(t *testing.T) {
	t.Parallel()
	for question, want := range map[string]bool{
		"which port does postgres use":           false,
		"when do we deploy":                      false,
		"what is used to sign releases":          false,
		"which tools are used to build":          false,
		"tokens":                                 false,
		"":                                       false,
		"which port did postgres use":            true,
		"What was the port originally?":          true,
		"how we used to deploy":                  true,
		"the linter before ruff":                 true,
		"previous owner of the parser":           true,
		"have we ever squashed pull requests":    true,
		"which database did we use at FIRST":     true,
		"history of the session timeout setting": true,
	} {
		if got := text.AsksPast(question); got != want {
			t.Errorf("%q: got %v, want %v", question, got, want)
		}
	}
}
