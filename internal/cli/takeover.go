package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/render"
)

// takesOver takes the database over that this program would open, where it is an earlier
// Engram's and nothing else was named. It reports whether that was what the command is about.
func (p *program) takesOver(cmd *cobra.Command, from string, args []string, dryRun bool) (over bool, err error) {
	if from != "" && from != "engram" || len(args) == 1 && !p.app.IsEarlier(migration{program: p}.absolute(args[0])) {
		return false, nil
	}
	of, err := p.app.Earlier(cmd.Context())
	if err != nil || of == "" {
		return false, err
	}
	in := app.TakeOverInput{DryRun: dryRun}
	if p.loaded.Origins["project"].Source == config.SourceFlag {
		in.Project = p.loaded.Project
	}
	bar := p.progress("upgrading")
	in.Progress = bar.tell
	in.Waiting = func() { p.warn("another process is upgrading this database; waiting for it") }
	t, err := p.app.TakeOver(cmd.Context(), in)
	bar.end()
	if !p.json {
		p.tellItems(t.Rejected, "not imported")
		for _, n := range t.Notes {
			p.warn(render.Line(itemName(n)+": "+n.Reason, 0))
		}
	}
	if err != nil {
		return true, err
	}
	doc := takenOverDoc{document.ImportedOf(t.Imported, dryRun), t.Of, p.loaded.DBPath, t.Backup}
	return true, p.answer(doc, doc.write)
}

// warnEarlier tells of a database that is an earlier Engram's, and that a server serves nothing of.
func (p *program) warnEarlier(ctx context.Context) {
	if shut, earlier := errors.AsType[*app.Earlier](p.app.Ready(ctx)); earlier {
		p.warn(messageOf(shut))
	}
}

// takenOverDoc is the answer of `migrate` where it took a database over.
type takenOverDoc struct {
	document.Imported
	Of       string `json:"of"`       // the earlier Engram; "" when another process had taken it over
	Database string `json:"database"` // that was taken over
	Copy     string `json:"copy"`     // of the old one; "" where nothing was changed
}

func (d takenOverDoc) write(b *strings.Builder) {
	if d.Of == "" {
		fmt.Fprintf(b, "%s was upgraded by another process meanwhile.\n", render.Line(d.Database, 0))
		return
	}
	what := "Upgraded"
	if d.DryRun {
		what = "Would upgrade"
	}
	fmt.Fprintf(b, "%s %s, the database of an earlier Engram (%s)\n", what, render.Line(d.Database, 0), d.Of)
	writeTallies(b, d.Imported)
	if d.Copy != "" {
		fmt.Fprintf(b, "The old database is kept as %s\n", render.Line(d.Copy, 0))
	}
}
