package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// elsewhereDoc is what `delete --query` leaves alone though it has all the words.
type elsewhereDoc struct {
	Kind   string `json:"kind"`   // prompt or session
	ID     string `json:"id"`     // its number, or its id
	Remove string `json:"remove"` // the command that erases it
}

// elsewhere looks for the words where forget does not reach.
func (p *program) elsewhere(cmd *cobra.Command, e *engine.Engine, query string) ([]elsewhereDoc, error) {
	name, err := p.readProject(cmd, e, false)
	if err != nil {
		return nil, err
	}
	found, err := e.Elsewhere(cmd.Context(), query, name)
	if err != nil {
		return nil, err
	}
	docs := document.Each(found.Prompts, func(m engram.Prompt) elsewhereDoc {
		num := strconv.FormatInt(m.Num, 10)
		return elsewhereDoc{"prompt", num, "engram delete prompt " + num + " --hard"}
	})
	for _, s := range found.Sessions {
		docs = append(docs, elsewhereDoc{"session", s.ID, engram.Call{"delete", "session", s.ID, "--hard"}.String()})
	}
	return docs, nil
}

func writeElsewhere(b *strings.Builder, docs []elsewhereDoc) {
	if len(docs) == 0 {
		return
	}
	prompts := 0
	for _, d := range docs {
		if d.Kind == "prompt" {
			prompts++
		}
	}
	fmt.Fprintf(b, "The text is still contained in %s and %s:\n", count(prompts, "prompt", "prompts"),
		count(len(docs)-prompts, "session summary", "session summaries"))
	for _, d := range docs {
		fmt.Fprintf(b, "  %s\n", render.Plain(d.Remove))
	}
	if len(docs) > prompts {
		fmt.Fprintln(b, "A session can be deleted when its memories are erased.")
	}
}
