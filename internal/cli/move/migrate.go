package move

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/review"
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
	res, err := m.engine.Migrate(m.cmd.Context(), source, exchange.MigrateInput{Project: o.Project, DryRun: m.dryRun, Progress: bar.Report})
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
func reportMigrated(p *command.Program, res exchange.Imported) {
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
	in, err := m.engine.ProjectFor(m.cmd.Context(), projects.ProjectRequest{Override: m.p.Loaded.Project, Dir: o.HereDir, Lenient: true})
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
	in, err := m.engine.ProjectFor(ctx, projects.ProjectRequest{Dir: dir, Lenient: true})
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
	fmt.Fprintf(b, "%s %s, the database of an earlier Engram (%s)\n", command.Would(d.DryRun, "Would upgrade", "Upgraded"), render.Line(d.Database, 0), d.Of)
	writeTallies(b, d.Imported)
	if d.Copy != "" {
		fmt.Fprintf(b, "The old database is kept as %s\n", render.Line(d.Copy, 0))
	}
}

// backfillLimit is the default of --limit: as many proposals as a person reviews in one sitting.
const backfillLimit = 50

func backfillCommand(p *command.Program) *cobra.Command {
	var f backfillFlags
	cmd := &cobra.Command{
		Use:   "backfill [SOURCE] [PATH]",
		Short: "Propose memories from agent transcripts or from commits",
		Long: `Propose memories from past work: the transcripts that agents leave on this machine, or commit messages. Nothing is saved
until you approve it, and the transcripts and the repository are only read.

  claude-code  sessions of Claude Code: ~/.claude/projects
  codex        sessions of Codex: ~/.codex/sessions
  opencode     sessions of OpenCode: ~/.local/share/opencode
  git          commits of the checked-out branch, of the repository at PATH or of this folder

Proposed are decisions with their reason, standing wishes and prohibitions, fixed errors with their cause, learnings that
an agent listed, session summaries, and from commits what the message says beyond its subject. Sessions of other projects
are skipped unless --all-projects is given. A proposal is made only once, whether approved or rejected, and nothing is
proposed that a memory already says, so a second run proposes only what is new.

Proposals go into the review queue: engram review shows them, engram review approve w12 saves one, dated to the day it
happened, and engram review refuse w12 rejects it. --review asks about them one by one. See docs/backfill.md.`,
		Example: command.Examples("engram backfill claude-code --since 30d --dry-run", "engram backfill git", "engram backfill codex --all-projects --limit 200", "engram backfill --review"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return backfilling{p: p, cmd: cmd, backfillFlags: f, source: command.Argument(args, 0, ""), path: command.Argument(args, 1, "")}.run()
		},
	}
	cmd.Flags().StringVar(&f.since, "since", "", "only what happened since a `time`: 30d, 2w, yesterday, 2026-01-31")
	cmd.Flags().IntVar(&f.limit, "limit", backfillLimit, "maximum number of proposals, newest sessions first")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "preview the proposals without recording them")
	cmd.Flags().BoolVar(&f.all, "all-projects", false, "read sessions of every project; each proposal goes to its own project")
	cmd.Flags().BoolVar(&f.walk, "review", false, "go through the pending proposals one by one (needs a terminal)")
	return cmd
}

type backfillFlags struct {
	since             string
	limit             int
	dryRun, all, walk bool
}

type backfilling struct {
	p *command.Program
	backfillFlags
	cmd          *cobra.Command
	source, path string
}

// BackfillDoc is the answer of `backfill`.
type BackfillDoc struct {
	Source      string        `json:"source"`
	Path        string        `json:"path"`
	Project     string        `json:"project"` // "" is every project
	DryRun      bool          `json:"dry_run"`
	Transcripts int           `json:"transcripts"` // transcripts read
	Elsewhere   int           `json:"elsewhere"`   // transcripts skipped because they belong to other projects
	Commits     int           `json:"commits"`     // commits read
	Bytes       int64         `json:"bytes"`       // size of the transcripts
	Known       int           `json:"known"`       // found, but proposed before
	Said        int           `json:"said"`        // found, but already in a memory or another proposal
	Refused     int           `json:"refused"`     // found, but empty without private parts
	More        bool          `json:"more"`        // the limit was reached: run it again for the rest
	Proposals   []proposalDoc `json:"proposals"`   // new proposals, newest session first
	Notes       []pathNote    `json:"notes"`       // files that could not be read
}

// proposalDoc is a possible memory that a person has to approve.
type proposalDoc struct {
	Num     int64              `json:"num"` // number for review approve and review refuse, as wNUM; 0 in a dry run
	Project string             `json:"project"`
	Type    string             `json:"type"`
	Title   string             `json:"title"`
	Content string             `json:"content"`
	Why     string             `json:"why"`     // the rule that found it
	Flagged []string           `json:"suspect"` // why it is flagged as instruction-like, and where; empty if it is not
	From    string             `json:"from"`    // the source and the session or the commit
	Session string             `json:"session"` // session it would belong to
	At      document.Timestamp `json:"at"`      // when it happened
}

// pathNote is a remark on a file that was skipped, in whole or in part.
type pathNote struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

func proposalOf(d engram.Deferred) proposalDoc {
	m := d.Record.Memory.Memory
	return proposalDoc{d.Num, d.Project, string(m.Type), m.Title, m.Content, d.Reason, document.OrEmpty(review.SuspicionsOf(d)), strings.TrimPrefix(d.Batch, "backfill:"), m.SessionID, document.Timestamp(m.CreatedAt)}
}

func (b backfilling) run() error {
	if b.source == "" && !b.walk {
		return command.Invalidf("no source given").WithHint("use one of %s, or --review", strings.Join(app.BackfillSources(), ", "))
	}
	if b.source != "" && !slices.Contains(app.BackfillSources(), b.source) {
		return command.Invalidf("unknown source %q", b.source).WithHint("use one of %s", strings.Join(app.BackfillSources(), ", "))
	}
	if b.limit < 1 {
		return command.Invalidf("limit %d is out of range", b.limit).WithHint("use a number from 1")
	}
	if b.walk && (b.dryRun || b.p.JSON) {
		return command.Invalidf("--review is interactive and cannot be combined with --dry-run or --json")
	}
	e, err := b.p.Open(b.cmd)
	if err != nil {
		return err
	}
	name, err := b.p.ReadProject(b.cmd, e, b.all)
	if b.source != "" && engram.CodeOf(err) == engram.CodeNotFound { // a project without any memories yet
		name, err = b.p.WriteProject(b.cmd, e)
	}
	if err != nil {
		return err
	}
	if b.source != "" {
		if err := b.read(e, name); err != nil {
			return err
		}
	}
	if b.walk {
		return b.decide(e, name)
	}
	return nil
}

// read reads the source and reports the proposals.
func (b backfilling) read(e *engine.Engine, name string) error {
	o := app.BackfillOptions{Source: b.source, Limit: b.limit, DryRun: b.dryRun, Project: name}
	var err error
	if o.Since, err = b.p.When("since", b.since, e.Now()); err != nil {
		return err
	}
	if o.Path = app.BackfillPlace(b.source, b.p.Where()); b.path != "" {
		o.Path = b.p.Path(b.path)
	}
	if o.Path == "" {
		return command.Invalidf("the home folder is not known").WithHint("name the folder of the transcripts")
	}
	if b.p.Loaded.Origins["project"].Source != config.SourceDefault {
		o.Into = name
	}
	bar := b.p.Progress("reading")
	o.Progress = func(read int64) { bar.Report(int(read>>20), 0) }
	res, err := b.p.App.Backfill(b.cmd.Context(), o)
	bar.End()
	switch {
	case err != nil && b.path == "" && engram.CodeOf(err) == engram.CodeNotFound: // the usual place, which need not exist
		if _, missing := os.Stat(o.Path); !errors.Is(missing, fs.ErrNotExist) {
			return err
		}
		doc := BackfillDoc{Source: b.source, Path: o.Path, Project: name, DryRun: b.dryRun, Proposals: []proposalDoc{}, Notes: []pathNote{}}
		return b.p.Answer(doc, func(s *strings.Builder) {
			fmt.Fprintf(s, "Nothing of %s was found in %s.\nGive its path: engram backfill %s PATH\n", b.source, render.Line(o.Path, 0), b.source)
		})
	case err != nil:
		return err
	}
	doc := BackfillDoc{Source: b.source, Path: o.Path, Project: name, DryRun: b.dryRun, Transcripts: res.Transcripts, Elsewhere: res.Elsewhere, Commits: res.Commits,
		Bytes: res.Bytes, Known: res.Known, Said: res.Said, Refused: res.Refused, More: res.More, Proposals: document.Each(res.New, proposalOf),
		Notes: document.Each(res.Notes, func(n app.BackfillNote) pathNote { return pathNote(n) })}
	return b.p.Answer(doc, func(s *strings.Builder) { b.write(s, doc) })
}

func (b backfilling) write(s *strings.Builder, d BackfillDoc) {
	for _, n := range d.Notes {
		b.p.Warn(render.Line(n.Path+": "+n.Reason, 0))
	}
	if d.Source == app.BackfillGit {
		fmt.Fprintf(s, "Read %s.\n", command.Count(d.Commits, "commit", "commits"))
	} else {
		fmt.Fprintf(s, "Read %s (%s).", command.Count(d.Transcripts, "transcript", "transcripts"), command.SizeText(d.Bytes))
		if d.Elsewhere > 0 {
			fmt.Fprintf(s, " Skipped: %s of other projects (--all-projects).", command.Count(d.Elsewhere, "transcript", "transcripts"))
		}
		s.WriteByte('\n')
	}
	fmt.Fprintf(s, "%s %s", command.Would(d.DryRun, "Would propose", "Proposed"), command.Count(len(d.Proposals), "memory", "memories"))
	for _, left := range []struct {
		n    int
		what string
	}{{d.Known, "proposed before"}, {d.Said, "already in a memory"}, {d.Refused, "private"}} {
		if left.n > 0 {
			fmt.Fprintf(s, ", %d %s", left.n, left.what)
		}
	}
	s.WriteString(".\n")
	for _, one := range d.Proposals {
		s.WriteByte('\n')
		b.writeProposal(s, one)
	}
	if d.More {
		fmt.Fprintf(s, "\n--limit %d was reached, and there may be more. Run the command again for the rest.\n", b.limit)
	}
	if len(d.Proposals) > 0 && !d.DryRun && !b.walk {
		fmt.Fprintln(s, "\n"+render.Fold("Nothing is saved yet. engram review lists the proposals; engram review approve wNUMBER saves one, engram review refuse wNUMBER rejects it; "+
			"engram backfill --review goes through them one by one.", "", b.p.ItemColumns()))
	}
}

// writeProposal shows one proposal.
func (b backfilling) writeProposal(s *strings.Builder, d proposalDoc) {
	const indent = "      "
	columns := b.p.ItemColumns()
	name := "-"
	if d.Num > 0 {
		name = fmt.Sprintf("w%d", d.Num)
	}
	fmt.Fprintln(s, terminal.Fit(fmt.Sprintf("%-5s [%s] %s", name, render.Line(d.Type, 0), render.Line(d.Title, 0)), columns))
	// The title, shown above, is often the beginning of the text.
	if more := strings.TrimLeft(strings.TrimPrefix(d.Content, d.Title), ". \n"); more != "" {
		fmt.Fprintln(s, render.Fold(indent+render.Line(more, mostShown), indent, columns))
	}
	from := d.From
	if at := time.Time(d.At); !at.IsZero() {
		from += ", " + render.Time(at, b.p.Zone())
	}
	if d.Project != "" {
		from += ", project " + d.Project
	}
	fmt.Fprintln(s, render.Fold(indent+render.Line(d.Why+"; "+from, 0), indent, columns))
	for i, why := range d.Flagged {
		if i == 0 {
			why = "flagged as instruction-like: " + why
		}
		fmt.Fprintln(s, render.Fold(indent+render.Line(why, 0), indent, columns))
	}
}

// mostShown is the number of characters of a proposal that a list shows.
const mostShown = 300

// decide asks about each pending proposal, oldest first.
func (b backfilling) decide(e *engine.Engine, project string) error {
	all, err := e.Proposals(b.cmd.Context(), project)
	if err != nil {
		return err
	}
	saved, refused := 0, 0
	for n, d := range all {
		fmt.Fprintf(b.p.Stdout, "\n%d of %d\n", n+1, len(all))
		b.show(proposalOf(d))
		done, err := b.one(e, d, &saved, &refused)
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	left := len(all) - saved - refused
	fmt.Fprintf(b.p.Stdout, "\nSaved %s, rejected %d, left %d.\n", command.Count(saved, "memory", "memories"), refused, left)
	return nil
}

// show shows a proposal in full, so that a person can decide on it.
func (b backfilling) show(d proposalDoc) {
	content := d.Content
	d.Content = d.Title
	var s strings.Builder
	b.writeProposal(&s, d)
	fmt.Fprintf(b.p.Stdout, "%s\n%s\n", s.String(), render.Plain(content))
}

// one asks until the proposal is decided or skipped; done ends the whole review.
func (b backfilling) one(e *engine.Engine, d engram.Deferred, saved, refused *int) (done bool, err error) {
	edit := review.ProposalEdit{Read: true} // show has shown it in full, and why it is flagged
	for {
		answer, err := b.p.Ask("Save it? [y]es, [n]ever again, [e]dit, [s]kip, [q]uit", "use engram review approve or engram review refuse with the number")
		if err != nil {
			return true, err
		}
		switch answer {
		case "y", "yes":
			_, err := e.AcceptProposal(b.cmd.Context(), d.Num, edit)
			if err == nil {
				*saved++
			}
			return false, err
		case "n", "no", "never":
			if _, err := e.RefuseDeferred(b.cmd.Context(), d.Num); err != nil {
				return true, err
			}
			*refused++
			return false, nil
		case "e", "edit":
			if err := b.edit(d, &edit); err != nil {
				return true, err
			}
		case "s", "skip":
			return false, nil
		case "q", "quit", "":
			return true, nil
		default:
			if !b.p.SomeoneThere() {
				return true, command.Invalidf("unknown answer %q", answer).WithHint("answer y, n, e, s or q, one line per proposal")
			}
		}
	}
}

// edit asks for another title and another text; an empty line keeps the proposed one.
func (b backfilling) edit(d engram.Deferred, to *review.ProposalEdit) error {
	m := d.Record.Memory.Memory
	for _, field := range []struct {
		name, was string
		to        *string
	}{{"Title", m.Title, &to.Title}, {"Text", m.Content, &to.Content}} {
		fmt.Fprintf(b.p.Stderr, "%s (empty: as it is) ", b.p.Err.Bold(field.name))
		line, err := b.p.Answers().ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if line = strings.TrimSpace(line); line != "" {
			*field.to = line
		}
	}
	return nil
}
