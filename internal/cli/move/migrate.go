package move

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func migrateCommand(p *command.Program) *cobra.Command {
	var from string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "migrate [PATH]",
		Short: "Import the data of another memory program",
		Long: `Import memories from another memory program or from Markdown files. The source is only read, and running the command
again imports only what is new. engram undo reverts it.

  markdown      reflexes.md, episodes.md, preferences.md, project_graph.md, or any other page
  engram        the database of an earlier Engram, or its JSON export
  claude-mem    its database, claude-mem.db
  mcp-memory    memory.jsonl of the reference memory server of the Model Context Protocol
  basic-memory  its folder of notes
  memory-md     AGENTS.md, CLAUDE.md, MEMORY.md and rules of editors, of the repository PATH
  claude-code   the auto memory of Claude Code

If the database in this program's own folder is from an earlier Engram, engram migrate upgrades it in place: it keeps a
copy in the folder backups, creates a new database, imports everything, and replaces the old file.

Without PATH the usual places are searched; without --from the findings are only listed. Items without a project go into
the project of this folder; with --project everything goes into that project. Invalid items are reported and skipped, with
exit code 2. docs/migrate.md explains how each item is converted.`,
		Example: command.Examples("engram migrate", "engram migrate --from claude-mem --dry-run", "engram migrate --from memory-md . --project shop", "engram migrate ~/.local/share/engram/engram.db"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if over, err := takesOver(p, cmd, from, args, dryRun); over || err != nil {
				return err
			}
			if from == "" && len(args) == 0 {
				return reportPlaces(p)
			}
			return migration{p: p, cmd: cmd, engine: e, system: from, path: command.Argument(args, 0, ""), dryRun: dryRun}.run()
		}),
	}
	cmd.Flags().StringVar(&from, "from", "", "the other program (`system`): "+strings.Join(app.ForeignSystems(), ", "))
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "preview without changing anything")
	return cmd
}

// migration is one run of the command.
type migration struct {
	p            *command.Program
	cmd          *cobra.Command
	engine       *engine.Engine
	system, path string // path as given or found
	dryRun       bool
}

func (m migration) run() error {
	if m.system == "" && app.EarlierAt(m.cmd.Context(), m.p.Path(m.path)) != "" {
		m.system = "engram" // an earlier Engram is recognised by itself
	}
	if m.system == "" {
		return command.Invalidf("--from is missing").WithHint("use one of %s", strings.Join(app.ForeignSystems(), ", "))
	}
	if !slices.Contains(app.ForeignSystems(), m.system) {
		return command.Invalidf("unknown system %q", m.system).WithHint("use one of %s", strings.Join(app.ForeignSystems(), ", "))
	}
	if m.path == "" {
		if err := m.find(); err != nil {
			return err
		}
	}
	o, err := m.options()
	if err != nil {
		return err
	}
	source, err := app.Foreign(m.cmd.Context(), m.system, m.p.Path(m.path), o)
	if err != nil {
		return err
	}
	bar := m.p.Progress("migrating")
	res, err := m.engine.Migrate(m.cmd.Context(), source, engine.MigrateInput{Project: o.Project, DryRun: m.dryRun, Progress: bar.Report})
	bar.End()
	if closing := source.Close(); err == nil {
		err = closing
	}
	reportMigrated(m.p, res)
	if err != nil {
		return err
	}
	doc := MigratedDoc{document.ImportedOf(res, m.dryRun), m.system, m.path}
	if err := m.p.Answer(doc, doc.write); err != nil {
		return err
	}
	return rejected(res, m.dryRun, "%s could not be imported")
}

// reportMigrated warns of the items that were rejected or changed on the way.
func reportMigrated(p *command.Program, res engine.Imported) {
	p.ReportItems(res.Rejected, "not imported")
	for _, n := range res.Notes {
		p.WarnBeside(render.Line(command.ItemName(n)+": "+n.Reason, 0))
	}
}

// options choose the project of items that name none.
func (m migration) options() (app.ForeignOptions, error) {
	o := app.ForeignOptions{HereDir: m.p.Dir, ProjectOf: m.projectOf}
	if m.p.ProjectGiven() {
		o.Project = m.p.Loaded.Project
		return o, nil
	}
	switch m.system {
	case "engram", "claude-mem": // their items name a project
		return o, nil
	case "memory-md": // the repository's project, whatever the working folder
		o.HereDir = m.p.Path(m.path)
		if info, err := os.Stat(o.HereDir); err == nil && !info.IsDir() {
			o.HereDir = filepath.Dir(o.HereDir)
		}
	}
	in, err := m.engine.ProjectFor(m.cmd.Context(), engine.ProjectRequest{Override: m.p.Loaded.Project, Dir: o.HereDir, Lenient: true})
	o.Here = in.Name
	return o, err
}

// find finds the only place where the system keeps data.
func (m *migration) find() error {
	found, usual := app.ForeignPlaces(m.system, m.p.Where())
	switch len(found) {
	case 1:
		m.path = found[0]
		return nil
	case 0:
		hint := "give its path: engram migrate --from " + m.system + " PATH"
		if len(usual) > 0 {
			hint = "found nothing in " + strings.Join(usual[:min(len(usual), 3)], ", ") + "; " + hint
		}
		return engram.Errorf(engram.CodeNotFound, "found no data of %s", m.system).WithHint("%s", hint)
	}
	return command.Invalidf("found %s of %s", command.Count(len(found), "place", "places"), m.system).WithHint("choose one: %s", strings.Join(found, ", "))
}

// reportPlaces lists the data found in the usual places of every system.
func reportPlaces(p *command.Program) error {
	doc := FoundPlacesDoc{Found: []placeRow{}}
	for _, system := range app.ForeignSystems() {
		found, _ := app.ForeignPlaces(system, p.Where())
		for _, path := range found {
			doc.Found = append(doc.Found, placeRow{system, path, engram.Call{"migrate", "--from", system, path}.String()})
		}
	}
	return p.Answer(doc, doc.write)
}

// FoundPlacesDoc is the answer of `migrate` without a system.
type FoundPlacesDoc struct {
	Found []placeRow `json:"found"`
}

type placeRow struct {
	System  string `json:"system"`
	Path    string `json:"path"`
	Command string `json:"command"` // command that imports it
}

func (d FoundPlacesDoc) write(b *strings.Builder) {
	if len(d.Found) == 0 {
		fmt.Fprintf(b, "No data of another memory program was found in the usual places.\nGive the program and the path: engram migrate --from SYSTEM PATH\n")
		return
	}
	fmt.Fprintln(b, "Found (not imported):")
	for _, f := range d.Found {
		fmt.Fprintf(b, "  %-12s  %s\n", f.System, render.Line(f.Path, 0))
	}
	fmt.Fprintf(b, "To preview an import: %s --dry-run\n", render.Line(d.Found[0].Command, 0))
}

// MigratedDoc is the answer of `migrate`.
type MigratedDoc struct {
	document.Imported
	System string `json:"system"` // as --from names it
	Path   string `json:"path"`   // as given or found
}

func (d MigratedDoc) write(b *strings.Builder) {
	ImportedDoc{d.Imported, render.Line(d.Path, 0)}.write(b)
}

// projectOf returns the project of a folder on this machine; "" if it has none.
func (m migration) projectOf(ctx context.Context, dir string) string {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return ""
	}
	in, err := m.engine.ProjectFor(ctx, engine.ProjectRequest{Dir: dir, Lenient: true})
	if err != nil {
		return ""
	}
	return in.Name
}

// takesOver upgrades the program's own database if that is from an earlier Engram and the command names
// nothing else. over reports whether the command was about it.
func takesOver(p *command.Program, cmd *cobra.Command, from string, args []string, dryRun bool) (over bool, err error) {
	if from != "" && from != "engram" || len(args) == 1 && !p.App.IsEarlier(p.Path(args[0])) {
		return false, nil
	}
	of, err := p.App.Earlier(cmd.Context())
	if err != nil || of == "" {
		return false, err
	}
	in := app.TakeOverInput{DryRun: dryRun}
	if p.ProjectGiven() {
		in.Project = p.Loaded.Project
	}
	bar := p.Progress("upgrading")
	in.Progress = bar.Report
	in.Waiting = func() { p.Warn("another process is upgrading this database; waiting for it") }
	t, err := p.App.TakeOver(cmd.Context(), in)
	bar.End()
	reportMigrated(p, t.Imported)
	if err != nil {
		return true, err
	}
	doc := TakenOverDoc{document.ImportedOf(t.Imported, dryRun), t.Of, p.Loaded.DBPath, t.Backup}
	return true, p.Answer(doc, doc.write)
}

// TakenOverDoc is the answer of `migrate` after an upgrade of the database.
type TakenOverDoc struct {
	document.Imported
	Of       string `json:"of"`       // version of the earlier Engram; "" if another process has upgraded it
	Database string `json:"database"` // the upgraded database
	Copy     string `json:"copy"`     // copy of the old database; "" if nothing was changed
}

func (d TakenOverDoc) write(b *strings.Builder) {
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
