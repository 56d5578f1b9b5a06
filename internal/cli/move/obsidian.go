package move

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	enginevault "github.com/alanbuscaglia/engram/internal/engine/vault"
	"github.com/alanbuscaglia/engram/internal/render"
)

type vaultFlags struct {
	dir, since, graph string
	limit             int
	force, dryRun     bool
	back, forget      bool
	watch             bool
	interval          time.Duration
	plain             bool // Markdown links instead of Obsidian's
}

const (
	watchEvery = 10 * time.Minute
	watchLeast = time.Second
)

func obsidianCommand(p *command.Program) *cobra.Command {
	var f vaultFlags
	cmd := &cobra.Command{
		Use:   "obsidian-export [DIR]",
		Short: "Sync memories with notes in an Obsidian vault",
		Long: `Write a note for each memory into the folder engram of an Obsidian vault: VAULT/engram/PROJECT/TYPE/TITLE-….md, with
front matter, links for relations, and notes for sessions, topics and groups of related memories. Only changed notes are
written; notes of forgotten memories are deleted. Your own notes are not touched. Notes that you edited or deleted are
left as they are and listed. With --project (or an alias) only that project is written; folders of other projects in the
vault stay as they are.

With --import, your changes in the vault are imported first: an edited note revises its memory, a new note in a project
folder becomes a memory, and a deleted note is listed or, with --forget-deleted, forgets its memory. If both the note and
the memory changed, the memory stays, your note is kept as ….conflict.md, and the exit code is 4. To import without
exporting: engram import --format obsidian VAULT.

With --watch this is repeated until Ctrl-C.`,
		Example: command.Examples("engram obsidian-export --vault ~/Vault", "engram obsidian-export ~/Vault --project shop --graph-config force",
			"engram obsidian-export ~/Vault --import --watch --interval 1m"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && f.dir != "" && args[0] != f.dir:
				return command.Invalidf("the vault is given twice").WithHint("give DIR or --vault")
			case len(args) == 1:
				f.dir = args[0]
			case f.dir == "":
				return command.Invalidf("no vault given").WithHint("usage: %s", cmd.UseLine())
			}
			return exportVault(p, cmd, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.dir, "vault", "", "`folder` of the vault; created if needed")
	flags.IntVar(&f.limit, "limit", 0, "maximum number of memories, newest first (default all)")
	flags.StringVar(&f.since, "since", "", "only memories created since a `time`: 7d, yesterday, 2026-01-31")
	flags.BoolVar(&f.force, "force", false, "also write notes that were edited or deleted in the vault; edits are kept in a file beside them")
	flags.StringVar(&f.graph, "graph-config", "preserve", "`mode` for the colours of the graph: preserve writes them only if they are missing, force always, skip never")
	flags.BoolVar(&f.back, "import", false, "import edits from the vault first")
	flags.BoolVar(&f.forget, "forget-deleted", false, "with --import: forget memories whose notes were deleted")
	flags.BoolVar(&f.watch, "watch", false, "repeat until Ctrl-C")
	flags.DurationVar(&f.interval, "interval", watchEvery, "with --watch: `interval` between two runs")
	flags.BoolVar(&f.dryRun, "dry-run", false, "preview without writing anything")
	return cmd
}

// vaultFormats are the export and import formats that are folders of notes, with Obsidian's links or with
// Markdown's.
func vaultFormats() []string { return []string{"obsidian", "markdown"} }

// exportVault writes a vault, once or until it is interrupted.
func exportVault(p *command.Program, cmd *cobra.Command, f vaultFlags) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	w, err := newVaultWork(p, cmd, f)
	if err != nil {
		return err
	}
	if f.watch {
		return w.watch(p.UntilEnded(cmd))
	}
	doc, err := w.once(cmd.Context())
	if err != nil {
		return err
	}
	warnVault(p, doc)
	if err := p.Answer(doc, doc.write); err != nil {
		return err
	}
	if doc.Import != nil {
		return doc.Import.problem()
	}
	return nil
}

func (f vaultFlags) check(cmd *cobra.Command) error {
	switch {
	case !slices.Contains([]string{"preserve", "force", "skip"}, f.graph):
		return command.Invalidf("--graph-config %q is unknown", f.graph).WithHint("use preserve, force or skip")
	case f.limit < 0 || cmd.Flags().Changed("limit") && f.limit == 0:
		return command.Invalidf("limit %d is out of range", f.limit).WithHint("use a number from 1")
	case f.forget && !f.back:
		return command.Invalidf("--forget-deleted needs --import").WithHint("run: %s --import --forget-deleted", cmd.CommandPath())
	case cmd.Flags().Changed("interval") && !f.watch:
		return command.Invalidf("--interval needs --watch").WithHint("run: %s --watch --interval %s", cmd.CommandPath(), f.interval)
	case f.watch && f.interval < watchLeast:
		return command.Invalidf("interval %s is too short", f.interval).WithHint("use at least %s", watchLeast)
	case f.watch && f.dryRun:
		return command.OnlyOne(cmd, "watch", "dry-run")
	}
	return nil
}

type vaultWork struct {
	p       *command.Program
	flags   vaultFlags
	engine  *engine.Engine
	vault   engram.Vault
	project string
	since   time.Time
}

func newVaultWork(p *command.Program, cmd *cobra.Command, f vaultFlags) (*vaultWork, error) {
	e, err := p.Open(cmd)
	if err != nil {
		return nil, err
	}
	w := &vaultWork{p: p, flags: f, engine: e}
	if w.project, err = p.ReadProject(cmd, e, !p.ProjectGiven()); err != nil {
		return nil, err
	}
	if w.since, err = p.When("since", f.since, e.Now()); err != nil {
		return nil, err
	}
	w.vault = p.App.Vault(p.Path(f.dir), app.VaultOptions{Plain: f.plain, Graph: f.graph})
	return w, nil
}

// once imports edits, if asked to, and writes the notes.
func (w *vaultWork) once(ctx context.Context) (VaultDoc, error) {
	doc := VaultDoc{Vault: w.flags.dir, Format: vaultFormats()[0], DryRun: w.flags.dryRun}
	if w.flags.plain {
		doc.Format = vaultFormats()[1]
	}
	if w.flags.back {
		in, err := w.engine.ImportVault(ctx, w.vault, enginevault.VaultImportInput{Project: w.project, Forget: w.flags.forget, DryRun: w.flags.dryRun})
		if err != nil {
			return doc, err
		}
		doc.Import = new(vaultImportedOf(in, w.flags.dir, w.flags.dryRun))
	}
	bar := w.p.Progress("writing notes")
	res, err := w.engine.ExportVault(ctx, w.vault, enginevault.VaultExportInput{Project: w.project, Limit: w.flags.limit, Since: w.since,
		Force: w.flags.force, DryRun: w.flags.dryRun, Progress: bar.Report})
	bar.End()
	if err != nil {
		return doc, err
	}
	doc.take(res)
	return doc, nil
}

// watch repeats the work. It retries if the disk or the database was unavailable, and reports changes.
func (w *vaultWork) watch(ctx context.Context) error {
	var last string
	for first := true; ; first = false {
		doc, err := w.once(ctx)
		switch {
		case ctx.Err() != nil:
			return nil // the usual end
		case engram.CodeOf(err) == engram.CodeUnavailable && !first:
			w.p.Warn(render.Plain(err.Error()))
		case err != nil:
			return err
		default:
			if err := w.reportRound(doc, first, &last); err != nil {
				return err
			}
		}
		if command.Pause(ctx, w.flags.interval) != nil {
			return nil
		}
	}
}

// reportRound reports what a round did, and problems that differ from those of the last round.
func (w *vaultWork) reportRound(doc VaultDoc, first bool, last *string) error {
	if issues := doc.issues(); issues != *last {
		*last = issues
		warnVault(w.p, doc)
	}
	if !first && !doc.changed() {
		return nil
	}
	if w.p.JSON {
		return w.p.AnswerLine(doc)
	}
	return w.p.ReportTo(0, func(b *strings.Builder) {
		if doc.Import != nil {
			doc.Import.writeLine(b)
		}
		doc.writeLine(b)
	})
}

// exportNotes is `export` into a folder of notes.
func exportNotes(p *command.Program, cmd *cobra.Command, args []string, in exchange.ExportInput) error {
	if len(args) == 0 || args[0] == "-" {
		return command.Invalidf("the format %s needs a folder", in.Format).WithHint("run: %s DIR --format %s", cmd.CommandPath(), in.Format)
	}
	if in.Vectors {
		return command.Invalidf("notes cannot hold vectors").WithHint("leave --vectors out")
	}
	f := vaultFlags{dir: args[0], graph: "preserve"}
	if f.plain = in.Format == "markdown"; f.plain {
		f.graph = "skip"
	}
	return exportVault(p, cmd, f)
}

// importNotes is `import` of a folder of notes.
func importNotes(p *command.Program, cmd *cobra.Command, dir string, dryRun bool) error {
	if cmd.Flags().Changed("mode") {
		return command.Invalidf("--mode cannot be used with a folder of notes").WithHint("leave it out: edits are imported and nothing is replaced")
	}
	w, err := newVaultWork(p, cmd, vaultFlags{dir: dir})
	if err != nil {
		return err
	}
	switch info, err := os.Stat(p.Path(dir)); {
	case errors.Is(err, fs.ErrNotExist):
		return engram.Errorf(engram.CodeNotFound, "folder %s does not exist", dir).WithHint("name the exported folder")
	case err != nil:
		return engram.Errorf(engram.CodeUnavailable, "cannot read folder %s", dir).WithCause(err)
	case !info.IsDir():
		return command.Invalidf("%s is not a folder", dir).WithHint("name the exported folder; for a file leave --format out")
	}
	res, err := w.engine.ImportVault(cmd.Context(), w.vault, enginevault.VaultImportInput{Project: w.project, DryRun: dryRun})
	if err != nil {
		return err
	}
	doc := vaultImportedOf(res, dir, dryRun)
	warnItems(p, doc.Items)
	if err := p.Answer(doc, doc.write); err != nil {
		return err
	}
	return doc.problem()
}

// VaultDoc is the answer of `obsidian-export`, and of `export` into a folder of notes.
type VaultDoc struct {
	Vault       string            `json:"vault"`   // as given
	Format      string            `json:"format"`  // obsidian or markdown: the style of links
	Project     string            `json:"project"` // "" is every project
	DryRun      bool              `json:"dry_run"` // nothing was written
	Created     int               `json:"created"` // memory notes, as in the following fields
	Updated     int               `json:"updated"`
	Deleted     int               `json:"deleted"`      // of forgotten or erased memories
	Skipped     int               `json:"skipped"`      // unchanged notes
	Hubs        int               `json:"hubs"`         // notes of sessions, topics and groups
	HubsWritten int               `json:"hubs_written"` // hub notes written
	HubsDeleted int               `json:"hubs_deleted"`
	Edited      []string          `json:"edited"`           // notes left as they are because they were edited
	HubsEdited  []string          `json:"hubs_edited"`      // edited notes of sessions, topics and groups
	Missing     []string          `json:"missing"`          // notes deleted by hand and not written again
	Aside       []string          `json:"aside"`            // files with edits that --force replaced
	Noted       []pathNote        `json:"noted"`            // files skipped, and why
	Import      *VaultImportedDoc `json:"import,omitempty"` // with --import: the result
}

func (d *VaultDoc) take(x enginevault.VaultExported) {
	d.Project, d.Created, d.Updated, d.Deleted, d.Skipped = x.Project, x.Created, x.Updated, x.Deleted, x.Skipped
	d.Hubs, d.HubsWritten, d.HubsDeleted = x.Hubs.Standing, x.Hubs.Written, x.Hubs.Deleted
	d.Edited, d.HubsEdited = document.OrEmpty(x.Edited), document.OrEmpty(x.Hubs.Edited)
	d.Missing, d.Aside = document.OrEmpty(x.Missing), document.OrEmpty(x.Aside)
	d.Noted = document.Each(x.Remarks, func(r engram.NoteRemark) pathNote { return pathNote(r) })
}

// changed reports whether anything was written or imported.
func (d VaultDoc) changed() bool {
	n := d.Created + d.Updated + d.Deleted + d.HubsWritten + d.HubsDeleted + len(d.Aside)
	if d.Import != nil {
		n += d.Import.Revised + d.Import.Created + d.Import.Forgotten + d.Import.Conflicts
	}
	return n > 0
}

// issues returns everything that needs a person, as one text to compare.
func (d VaultDoc) issues() string {
	text := fmt.Sprint(d.Edited, d.HubsEdited, d.Missing, d.Aside, d.Noted)
	if d.Import != nil {
		for _, i := range d.Import.Items {
			if i.Act != string(enginevault.VaultRevised) && i.Act != string(enginevault.VaultCreated) {
				text += fmt.Sprint(i)
			}
		}
	}
	return text
}

func (d VaultDoc) write(b *strings.Builder) {
	if d.Import != nil {
		d.Import.write(b)
	}
	name := "Obsidian"
	if d.Format == "markdown" {
		name = "Markdown"
	}
	fmt.Fprintf(b, "%s export %s\n", name, command.Would(d.DryRun, "dry run", "complete"))
	fmt.Fprintf(b, "  Created: %d\n  Updated: %d\n  Deleted: %d\n  Skipped: %d\n  Hubs:    %d\n", d.Created, d.Updated, d.Deleted, d.Skipped, d.Hubs)
}

func (d VaultDoc) writeLine(b *strings.Builder) {
	fmt.Fprintf(b, "Exported: %d created, %d updated, %d deleted, %d skipped, %d hubs\n", d.Created, d.Updated, d.Deleted, d.Skipped, d.Hubs)
}

// VaultImportedDoc is the answer of `import` of a folder of notes.
type VaultImportedDoc struct {
	Vault        string         `json:"vault"`      // as given
	Project      string         `json:"project"`    // "" is every project
	DryRun       bool           `json:"dry_run"`    // nothing was changed
	Revised      int            `json:"revised"`    // memories changed by their notes
	Created      int            `json:"created"`    // memories made from notes
	Forgotten    int            `json:"forgotten"`  // with --forget-deleted
	Conflicts    int            `json:"conflicts"`  // notes whose memories were changed, too
	Missing      int            `json:"missing"`    // notes deleted while their memories are kept
	Rejected     int            `json:"rejected"`   // notes that cannot be imported
	Unchanged    int            `json:"unchanged"`  // edited notes that match their memories
	Op           int64          `json:"op"`         // the last operation to undo; 0 if nothing was changed
	Ops          int            `json:"ops"`        // number of operations
	FirstOp      int64          `json:"first_op"`   // the first operation of verb vault: undo FIRST_OP..OP --verb vault; 0 if there is no operation
	ReplicatedOp int64          `json:"carried_op"` // operation that imported replicated notes; 0 if there is no operation
	Items        []vaultItemDoc `json:"items"`      // what was done with each note
}

// vaultItemDoc is one note of an import.
type vaultItemDoc struct {
	Path   string   `json:"path"` // in the vault
	Line   int      `json:"line"` // line that reason refers to; 0 for the whole note
	Act    string   `json:"act"`  // revised, created, conflict, missing, forgotten, rejected or noted
	ID     string   `json:"id"`   // of the memory; "" if the note has none
	Num    int64    `json:"num"`
	Fields []string `json:"fields"` // fields changed or in conflict
	Code   string   `json:"code"`   // invalid, conflict or unavailable; "" if nothing is wrong
	Reason string   `json:"reason"`
	Aside  string   `json:"aside"` // file with the text of the note; "" if it is still in the note
}

func vaultImportedOf(v enginevault.VaultImported, dir string, dryRun bool) VaultImportedDoc {
	return VaultImportedDoc{dir, v.Project, dryRun, v.Count(enginevault.VaultRevised), v.Count(enginevault.VaultCreated), v.Count(enginevault.VaultForgot),
		v.Count(enginevault.VaultConflict), v.Count(enginevault.VaultMissing), v.Count(enginevault.VaultRejected), v.Unchanged, v.Op, v.Ops, v.First, v.Replicated,
		document.Each(v.Items, func(i enginevault.VaultItem) vaultItemDoc {
			return vaultItemDoc{i.Path, i.Line, string(i.Act), string(i.ID), i.Num, document.OrEmpty(i.Fields), string(i.Code), i.Reason, i.Aside}
		})}
}

func (d VaultImportedDoc) write(b *strings.Builder) {
	fmt.Fprintf(b, "Imported from %s%s\n", d.Vault, command.Would(d.DryRun, " (dry run)", ""))
	fmt.Fprintf(b, "  Revised: %d\n  Created: %d\n", d.Revised, d.Created)
	for _, c := range []struct {
		name string
		n    int
	}{{"Forgotten", d.Forgotten}, {"Conflicts", d.Conflicts}, {"Missing", d.Missing}, {"Rejected", d.Rejected}} {
		if c.n > 0 {
			fmt.Fprintf(b, "  %s: %d\n", c.name, c.n)
		}
	}
	d.writeForgotten(b)
	var undo []string
	if d.FirstOp == d.Op && d.Op != 0 {
		undo = append(undo, fmt.Sprintf("engram undo %d", d.Op))
	} else if d.FirstOp != 0 {
		undo = append(undo, fmt.Sprintf("engram undo %d..%d --verb vault", d.FirstOp, d.Op))
	}
	if d.ReplicatedOp != 0 {
		undo = append(undo, fmt.Sprintf("engram undo %d", d.ReplicatedOp))
	}
	if len(undo) > 0 {
		fmt.Fprintf(b, "To undo: %s\n", strings.Join(undo, " and "))
	}
}

func (d VaultImportedDoc) writeForgotten(b *strings.Builder) {
	what, lines := command.Would(d.DryRun, "would be forgotten", "was forgotten"), 0
	for _, i := range d.Items {
		if i.Act != string(enginevault.VaultForgot) {
			continue
		}
		if lines++; lines > mostWarnings {
			fmt.Fprintf(b, "and %d more\n", d.Forgotten-mostWarnings)
			return
		}
		fmt.Fprintf(b, "Memory #%d %s: %s was deleted\n", i.Num, what, render.Line(i.Path, 0))
	}
}

func (d VaultImportedDoc) writeLine(b *strings.Builder) {
	if d.Revised+d.Created+d.Forgotten+d.Conflicts > 0 {
		fmt.Fprintf(b, "Imported: %d revised, %d created, %d forgotten, %d in conflict\n", d.Revised, d.Created, d.Forgotten, d.Conflicts)
	}
}

// problem returns the error of an import that needs a person.
func (d VaultImportedDoc) problem() error {
	switch {
	case d.Conflicts > 0:
		return engram.Errorf(engram.CodeConflict, "%s in conflict", command.Count(d.Conflicts, "note is", "notes are")).
			WithHint("their memories stay unchanged; see the reasons above")
	case d.Rejected > 0:
		code := engram.CodeInvalid
		if slices.ContainsFunc(d.Items, func(i vaultItemDoc) bool { return i.Code == string(engram.CodeUnavailable) }) {
			code = engram.CodeUnavailable
		}
		return engram.Errorf(code, "%s could not be imported", command.Count(d.Rejected, "note", "notes")).
			WithHint("see the reasons above")
	}
	return nil
}

// mostWarnings limits the notes named per kind; the JSON has all.
const mostWarnings = 20

// warnVault warns of everything that needs a person.
func warnVault(p *command.Program, d VaultDoc) {
	reported := map[string]bool{}
	if d.Import != nil {
		warnItems(p, d.Import.Items)
		for _, i := range d.Import.Items {
			reported[i.Path] = true
		}
	}
	for _, r := range d.Noted {
		if !reported[r.Path] {
			p.WarnBeside(render.Plain(r.Path + ": " + r.Reason))
		}
	}
	d.Missing = slices.DeleteFunc(slices.Clone(d.Missing), func(path string) bool { return reported[path] })
	warnPaths(p, d.Edited, "was edited and is left as it is; use --import to import it")
	warnPaths(p, d.HubsEdited, "was edited and is left as it is; use --force to overwrite it")
	warnPaths(p, d.Missing, "was deleted and is not written again; use --force to write it")
	warnPaths(p, d.Aside, "contains the edited text")
}

func warnPaths(p *command.Program, paths []string, what string) {
	for i, path := range paths {
		if i == mostWarnings {
			p.WarnBeside(fmt.Sprintf("and %d more", len(paths)-i))
			return
		}
		p.WarnBeside(render.Plain(path + " " + what))
	}
}

// warnItems warns of notes that were not simply imported.
func warnItems(p *command.Program, items []vaultItemDoc) {
	for _, i := range items {
		if i.Reason == "" || i.Act == string(enginevault.VaultForgot) {
			continue // in the answer
		}
		text := i.Path
		if i.Line > 0 {
			text = fmt.Sprintf("%s:%d", i.Path, i.Line)
		}
		if i.Act != string(enginevault.VaultNoted) {
			text += " " + i.Act
		}
		if len(i.Fields) > 0 {
			text += " (" + strings.Join(i.Fields, ", ") + ")"
		}
		text += ": " + i.Reason
		if i.Act == string(enginevault.VaultMissing) {
			text = fmt.Sprintf("%s was deleted, and memory #%d is kept: forget it with engram forget %d, or rewrite the note with obsidian-export --force", i.Path, i.Num, i.Num)
		}
		if i.Aside != "" {
			text += "; " + cmp.Or(i.Aside, i.Path) + " contains the text of the note"
		}
		p.WarnBeside(render.Plain(text))
	}
}
