package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) whyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "why SESSION",
		Short: "List what a session was shown, for which questions, at what cost",
		Long: `List what a session was shown by search, recall, context, get and remind (injected during its work), with the questions and
the cost in tokens. Exposures are recorded for sessions with an id and kept for 90 days.`,
		Example: examples("engram why s1", "engram why s1 --json"),
		Args:    between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			a, err := e.Why(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return p.answer(accountOf(a), func(b *strings.Builder) { writeAccount(b, a, p.zone()) })
		}),
	}
}

// accountDoc is the answer of `why`.
type accountDoc struct {
	Session sessionDoc     `json:"session"`
	Tokens  int            `json:"tokens"` // of all uses, about
	Uses    []document.Use `json:"uses"`   // oldest first
}

func accountOf(a engine.Account) accountDoc {
	return accountDoc{sessionOf(a.Session), a.Tokens, document.Each(a.Uses, func(u engine.Shown) document.Use {
		return document.UseOf(u.Use, u.Type, u.Title, u.Gone)
	})}
}

// writeAccount writes a line for each answer and one for each memory in it.
func writeAccount(b *strings.Builder, a engine.Account, o render.Options) {
	fmt.Fprintf(b, "Session %s (%s)\n", render.Line(a.Session.ID, 0), render.Line(a.Session.Project, 0))
	if len(a.Uses) == 0 {
		fmt.Fprintln(b, "No exposures are recorded.")
		return
	}
	for i, u := range a.Uses {
		if i == 0 || !sameAnswer(a.Uses[i-1], u) {
			fmt.Fprintf(b, "\n%s %s", render.Time(u.At, o), u.Verb)
			if u.Query != "" {
				fmt.Fprintf(b, " %s", quote(render.Line(u.Query, 100)))
			}
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "  %s\n", shownText(u))
	}
	fmt.Fprintf(b, "\n%s in all\n", count(a.Tokens, "token", "tokens"))
}

// sameAnswer reports whether two uses that follow one another belong to one answer.
func sameAnswer(a, b engine.Shown) bool {
	return a.At.Equal(b.At) && a.Verb == b.Verb && b.Rank > a.Rank
}

func shownText(u engine.Shown) string {
	switch {
	case u.Memory == 0 && u.Gone:
		return fmt.Sprintf("an erased memory, %s", count(u.Tokens, "token", "tokens"))
	case u.Memory == 0 && u.Rank > 0:
		return "nothing was shown: all hits had been shown before"
	case u.Memory == 0:
		return "nothing was shown"
	case u.Title == "":
		return fmt.Sprintf("%d. #%d, erased since, %s", u.Rank, u.Memory, count(u.Tokens, "token", "tokens"))
	}
	gone := ""
	if u.Gone {
		gone = ", forgotten since"
	}
	return fmt.Sprintf("%d. #%d [%s] %s, %s%s", u.Rank, u.Memory, render.Line(string(u.Type), 0), render.Line(u.Title, 0), count(u.Tokens, "token", "tokens"), gone)
}
