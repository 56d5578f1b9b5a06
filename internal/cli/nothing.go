package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// nothing is the line of an answer in which nothing was found, "" where something was. It is
// counted for people alone: who reads JSON sees that a list is empty.
func (p *program) nothing(cmd *cobra.Command, e *engine.Engine, project string, found bool) (string, error) {
	if found || p.json {
		return "", nil
	}
	n, err := e.Nothing(cmd.Context(), project)
	if err != nil {
		return "", err
	}
	return render.Nothing(n, "--all-projects", `engram save "title" "content"`) + "\n", nil
}

// unless writes what was found, or where nothing was the line of nothing.
func unless(nothing string, write func(*strings.Builder)) func(*strings.Builder) {
	return func(b *strings.Builder) {
		if nothing != "" {
			b.WriteString(nothing)
			return
		}
		write(b)
	}
}

// and writes what was found, and the line of nothing below it.
func and(nothing string, write func(*strings.Builder)) func(*strings.Builder) {
	return func(b *strings.Builder) {
		write(b)
		b.WriteString(nothing)
	}
}
