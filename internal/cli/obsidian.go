package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// vaultFlags say what is written into a vault, and whether what people did there comes back.
type vaultFlags struct {
	dir, since, graph string
	limit             int
	force, dryRun     bool
	back, forget      bool
	watch             bool
	interval          time.Duration
	plain             bool // links of Markdown, not of Obsidian
}

const (
	watchEvery = 10 * time.Minute
	watchLeast = time.Second
)

func (p *program) obsidianCommand() *cobra.Command {
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
		Example: examples("engram obsidian-export --vault ~/Vault", "engram obsidian-export ~/Vault --project shop --graph-config force",
			"engram obsidian-export ~/Vault --import --watch --interval 1m"),
		Args: between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && f.dir != "" && args[0] != f.dir:
				return invalidf("the vault is given twice").WithHint("give DIR or --vault")
			case len(args) == 1:
				f.dir = args[0]
			case f.dir == "":
				return invalidf("no vault given").WithHint("usage: %s", cmd.UseLine())
			}
			return p.exportVault(cmd, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.dir, "vault", "", "`folder` of the vault; created if needed")
	flags.IntVar(&f.limit, "limit", 0, "maximum number of memories, newest first (default all)")
	flags.StringVar(&f.since, "since", "", "only memories created since a `time`: 7d, yesterday, 2026-01-31")
	flags.BoolVar(&f.force, "force", false, "also write notes that were edited or deleted in the vault; edits are kept in a file beside them")
	flags.StringVar(&f.graph, "graph-config", "preserve", "`mode` for the colours of the graph: preserve writes them if there are none, force always, skip never")
	flags.BoolVar(&f.back, "import", false, "import edits from the vault first")
	flags.BoolVar(&f.forget, "forget-deleted", false, "with --import: forget memories whose notes were deleted")
	flags.BoolVar(&f.watch, "watch", false, "repeat until Ctrl-C")
	flags.DurationVar(&f.interval, "interval", watchEvery, "with --watch: `interval` between two runs")
	flags.BoolVar(&f.dryRun, "dry-run", false, "preview without writing anything")
	// The only error is a flag that does not exist, and it does.
	_ = cmd.RegisterFlagCompletionFunc("graph-config", cobra.FixedCompletions([]string{"preserve", "force", "skip"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// vaultFormats are the formats of export and import that are folders of notes: with links as
// Obsidian has them, and as every reader of Markdown does.
func vaultFormats() []string { return []string{"obsidian", "markdown"} }

// exportVault writes a vault, once or until it is interrupted.
func (p *program) exportVault(cmd *cobra.Command, f vaultFlags) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	w, err := p.vaultWork(cmd, f)
	if err != nil {
		return err
	}
	if f.watch {
		return w.watch(cmd.Context())
	}
	doc, err := w.once(cmd.Context())
	if err != nil {
		return err
	}
	p.warnVault(doc)
	if err := p.answer(doc, doc.write); err != nil {
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
		return invalidf("--graph-config cannot be %q", f.graph).WithHint("preserve, force or skip")
	case f.limit < 0 || cmd.Flags().Changed("limit") && f.limit == 0:
		return invalidf("limit %d is out of range", f.limit).WithHint("a number from 1")
	case f.forget && !f.back:
		return invalidf("--forget-deleted needs --import").WithHint("run: %s --import --forget-deleted", cmd.CommandPath())
	case cmd.Flags().Changed("interval") && !f.watch:
		return invalidf("--interval needs --watch").WithHint("run: %s --watch --interval %s", cmd.CommandPath(), f.interval)
	case f.watch && f.interval < watchLeast:
		return invalidf("interval %s is too short", f.interval).WithHint("at least %s", watchLeast)
	case f.watch && f.dryRun:
		return onlyOne(cmd, "watch", "dry-run")
	}
	return nil
}

// vaultWork is a vault with what is to be done there.
type vaultWork struct {
	*program
	flags   vaultFlags
	engine  *engine.Engine
	vault   engram.Vault
	project string
	since   time.Time
}

func (p *program) vaultWork(cmd *cobra.Command, f vaultFlags) (*vaultWork, error) {
	e, err := p.open(cmd)
	if err != nil {
		return nil, err
	}
	w := &vaultWork{program: p, flags: f, engine: e}
	if w.project, err = p.readProject(cmd, e, p.loaded.Origins["project"].Source != config.SourceFlag); err != nil {
		return nil, err
	}
	if w.since, err = p.when("since", f.since, e.Now()); err != nil {
		return nil, err
	}
	w.vault = p.app.Vault(p.pathOf(f.dir), app.VaultOptions{Plain: f.plain, Graph: f.graph})
	return w, nil
}

// once takes in what was edited, where that is wanted, and writes the notes.
func (w *vaultWork) once(ctx context.Context) (vaultDoc, error) {
	doc := vaultDoc{Vault: w.flags.dir, Format: vaultFormats()[0], DryRun: w.flags.dryRun}
	if w.flags.plain {
		doc.Format = vaultFormats()[1]
	}
	if w.flags.back {
		in, err := w.engine.ImportVault(ctx, w.vault, engine.VaultImportInput{Project: w.project, Forget: w.flags.forget, DryRun: w.flags.dryRun})
		if err != nil {
			return doc, err
		}
		doc.Import = new(vaultImportedOf(in, w.flags.dir, w.flags.dryRun))
	}
	bar := w.progress("writing notes")
	res, err := w.engine.ExportVault(ctx, w.vault, engine.VaultExportInput{Project: w.project, Limit: w.flags.limit, Since: w.since,
		Force: w.flags.force, DryRun: w.flags.dryRun, Progress: bar.tell})
	bar.end()
	if err != nil {
		return doc, err
	}
	doc.take(res)
	return doc, nil
}

// watch does it again and again. What failed because the disk or the database was not to be
// had is tried again; what is not as before is told.
func (w *vaultWork) watch(ctx context.Context) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var last string
	for first := true; ; first = false {
		doc, err := w.once(ctx)
		switch {
		case ctx.Err() != nil:
			return nil // that is how it ends
		case engram.CodeOf(err) == engram.CodeUnavailable && !first:
			w.warn(render.Plain(err.Error()))
		case err != nil:
			return err
		default:
			if err := w.tellRound(doc, first, &last); err != nil {
				return err
			}
		}
		t := time.NewTimer(w.flags.interval)
		select {
		case <-ctx.Done():
			t.Stop()
			return nil
		case <-t.C:
		}
	}
}

// tellRound tells what a round did, when it did anything, and what needs somebody, when that
// is not what was told before.
func (w *vaultWork) tellRound(doc vaultDoc, first bool, last *string) error {
	if waits := doc.waits(); waits != *last {
		*last = waits
		w.warnVault(doc)
	}
	if !first && !doc.changed() {
		return nil
	}
	if w.json {
		line, err := json.Marshal(doc)
		if err != nil {
			return engram.Errorf(engram.CodeInternal, "cannot encode the answer as JSON").WithCause(err)
		}
		_, err = w.Stdout.Write(render.JSON(append(line, '\n')))
		return outputError(err)
	}
	return w.tellTo(0, func(b *strings.Builder) {
		if doc.Import != nil {
			doc.Import.writeLine(b)
		}
		doc.writeLine(b)
	})
}

// exportNotes is `export` into a folder of notes.
func (p *program) exportNotes(cmd *cobra.Command, args []string, in engine.ExportInput) error {
	if len(args) == 0 || args[0] == "-" {
		return invalidf("the format %s needs a folder", in.Format).WithHint("run: %s DIR --format %s", cmd.CommandPath(), in.Format)
	}
	if in.Vectors {
		return invalidf("notes cannot hold vectors").WithHint("leave --vectors out")
	}
	f := vaultFlags{dir: args[0], graph: "preserve"}
	if f.plain = in.Format == "markdown"; f.plain {
		f.graph = "skip"
	}
	return p.exportVault(cmd, f)
}

// importNotes is `import` of a folder of notes.
func (p *program) importNotes(cmd *cobra.Command, dir string, dryRun bool) error {
	if cmd.Flags().Changed("mode") {
		return invalidf("--mode cannot be used with a folder of notes").WithHint("leave it out: edits are imported and nothing is replaced")
	}
	w, err := p.vaultWork(cmd, vaultFlags{dir: dir})
	if err != nil {
		return err
	}
	switch info, err := os.Stat(p.pathOf(dir)); {
	case errors.Is(err, fs.ErrNotExist):
		return engram.Errorf(engram.CodeNotFound, "folder %s does not exist", dir).WithHint("name the exported folder")
	case err != nil:
		return engram.Errorf(engram.CodeUnavailable, "cannot read folder %s", dir).WithCause(err)
	case !info.IsDir():
		return invalidf("%s is not a folder", dir).WithHint("name the exported folder; for a file leave --format out")
	}
	res, err := w.engine.ImportVault(cmd.Context(), w.vault, engine.VaultImportInput{Project: w.project, DryRun: dryRun})
	if err != nil {
		return err
	}
	doc := vaultImportedOf(res, dir, dryRun)
	if !p.json {
		p.warnItems(doc.Items)
	}
	if err := p.answer(doc, doc.write); err != nil {
		return err
	}
	return doc.problem()
}

// pathOf is a path as it was typed from the folder of the program.
func (p *program) pathOf(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.Dir, name)
}
