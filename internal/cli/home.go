package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/serve"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// homeDoc is the answer of `engram` without arguments.
type homeDoc struct {
	Version  string       `json:"version"`
	Database string       `json:"database"`
	Exists   bool         `json:"exists"`  // the database exists
	Project  string       `json:"project"` // project of the folder; "" if it has no memories yet
	Memories int          `json:"memories"`
	Projects int          `json:"projects"`
	Agents   bool         `json:"agents"`  // an agent has written over MCP
	Pending  int          `json:"pending"` // contradictions without a verdict
	Due      int          `json:"due"`     // memories due for review, at most 100
	Server   string       `json:"server"`  // http://HOST:PORT of the running server of this data directory; "" for none
	Off      serve.OffDoc `json:"off"`     // where agents are switched off
	Next     []nextDoc    `json:"next"`    // suggestions, the most urgent first

	names   []string // project names
	earlier string   // database of an earlier Engram elsewhere; "" for none, or if there are memories
}

// nextDoc is a suggestion.
type nextDoc struct {
	What    string `json:"what"`
	Command string `json:"command"`
}

// homeDue is the highest number of due memories that is counted.
const homeDue = 100

// home prints the state of the store and suggestions. It creates no database.
func home(p *command.Program, cmd *cobra.Command) error {
	e, err := p.Open(cmd)
	if err != nil {
		return err
	}
	doc := homeDoc{Version: p.Version, Database: p.Loaded.DBPath}
	_, err = os.Stat(doc.Database)
	doc.Exists = !errors.Is(err, fs.ErrNotExist)
	if doc.Exists {
		if err := doc.look(cmd.Context(), e); err != nil {
			return err
		}
		if name, err := p.ReadProject(cmd, e, false); err == nil && slices.Contains(doc.names, name) {
			doc.Project = name
		}
	}
	if s, err := serve.Control(p, *p.Loaded).Look(); err == nil { // status reports the error
		doc.Server = s.URL
	}
	doc.Off = serve.OffOf(p.App.OffState())
	if doc.Memories == 0 {
		if found, _ := app.ForeignPlaces("engram", p.Where()); len(found) > 0 {
			doc.earlier = found[0]
		}
	}
	doc.Next = doc.advice(command.Self())
	return p.Answer(doc, func(b *strings.Builder) { writeHome(b, doc, p.Columns()) })
}

// look counts the records.
func (d *homeDoc) look(ctx context.Context, e *engine.Engine) error {
	s, err := e.Stats(ctx, "")
	if err != nil {
		return err
	}
	d.Memories, d.Projects, d.names = s.Memories, len(s.Projects), s.Projects
	if d.Memories == 0 {
		return nil
	}
	if _, d.Pending, err = e.Conflicts(ctx, engine.ConflictFilter{Status: engram.RelationPending, Page: engram.Page{Limit: 1}}); err != nil {
		return err
	}
	due, err := e.Reviews(ctx, "", engram.Page{Limit: homeDue})
	if err != nil {
		return err
	}
	d.Due = len(due)
	entries, _, err := e.Log(ctx, engine.LogInput{Actor: "mcp", Page: engram.Page{Limit: 1}})
	d.Agents = len(entries) > 0
	return err
}

// advice returns suggestions for the current state; self is the command line of this program.
func (d *homeDoc) advice(self string) (next []nextDoc) {
	add := func(what, line string) { next = append(next, nextDoc{what, self + " " + line}) }
	if d.Off.Everything {
		add("switch agents on again", "on")
	}
	if d.Pending > 0 {
		add(fmt.Sprintf("judge %s", command.Count(d.Pending, "contradiction", "contradictions")), "conflicts list --status pending --all-projects")
	}
	if d.Due > 0 {
		many := command.Count(d.Due, "memory", "memories")
		if d.Due == homeDue {
			many += " or more"
		}
		add("review "+many, "review --all-projects")
	}
	if d.earlier != "" {
		add("import the data of an earlier Engram", strings.TrimPrefix(engram.Call{"migrate", d.earlier}.String(), "engram "))
	}
	if d.Memories == 0 {
		add("save a memory", "save 'Auth model' 'Tokens live 15 minutes'")
	} else {
		add("ask a question", "search how long do tokens live")
	}
	if !d.Agents {
		add("connect your agents", "setup")
		add("serve memories over HTTP", "serve")
	} else {
		add("see what a session starts with", "context")
	}
	if d.Memories == 0 {
		add("watch two sessions share one", "demo")
	}
	add("see every command", "--help")
	return next
}

// writeHome writes the state and the suggestions. Commands stay whole so that they can be copied: on a narrow
// terminal on lines of their own.
func writeHome(b *strings.Builder, doc homeDoc, columns int) {
	if doc.Memories > 0 {
		fmt.Fprintln(b, render.Fold(fmt.Sprintf("Engram remembers %s of %s in %s", command.Count(doc.Memories, "memory", "memories"),
			command.Count(doc.Projects, "project", "projects"), doc.Database), "", columns))
		where := "Nothing is remembered for this folder yet."
		if doc.Project != "" {
			where = "This folder is project " + render.Line(doc.Project, 0) + "."
		}
		fmt.Fprintln(b, render.Fold(where, "", columns))
	} else {
		fmt.Fprintln(b, render.Fold("Engram is a memory for AI agents. There are no memories yet in "+doc.Database, "", columns))
	}
	if doc.Server != "" {
		fmt.Fprintf(b, "A server listens on %s\n", doc.Server)
	}
	if off := doc.Off.Line(); off != "" {
		fmt.Fprintln(b, render.Fold(off, "", columns))
	}
	b.WriteString("\nNext:\n")
	what, longest := 0, 0
	for _, n := range doc.Next {
		what, longest = max(what, terminal.Width(n.What)), max(longest, terminal.Width(n.Command))
	}
	beside := columns == 0 || 2+what+2+longest <= columns
	for _, n := range doc.Next {
		if beside {
			fmt.Fprintf(b, "  %-*s  %s\n", what, n.What, n.Command)
		} else {
			fmt.Fprintf(b, "  %s\n    %s\n", n.What, n.Command)
		}
	}
}
