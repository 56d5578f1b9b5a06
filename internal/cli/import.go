package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

func (p *program) importCommand() *cobra.Command {
	var mode, format string
	var dryRun, yes, all bool
	var trust string
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Bring in a file that an export wrote",
		Long: `Bring in a file that engram export wrote, here or elsewhere, or the export of a program that speaks the mem_* or the
memory_* dialect; which it is, is found out, and whether it is packed with gzip. Importing twice changes nothing: what is
here already is known again by its id. Where both have something, the later edit holds and the other text is kept as a
revision.

Without --project what is here stays in its project, and what is new goes where the file says. With it everything goes into
that one project, whatever the file says and by whatever alias it is named; what another project has here is left alone,
and copies of it come in under new ids. What only an undone import had put elsewhere comes in itself.

With --mode replace, what is not in the file is forgotten, of the project of the folder alone: what the file has of others is
passed over. With --project everything in the file replaces that project; with --all-projects the file replaces every project
that it is of. It says first how many memories of which projects it would forget, and asks; --yes answers that, --dry-run only
looks. A backup of the database is made first where anything changes. All of it comes in or nothing does, and engram undo
takes it back. An item that is wrong is listed and left out, and a replacement with one is refused; then the exit code is 2.

--trust own says that the file is an export of your own, from another machine: its memories keep their origin (yours, an
agent's) instead of being quoted as imported, also those that came in before. What reads like an order to an agent still
waits for your approval, and engram undo takes it back.

With --format obsidian or markdown it is a folder of notes: what was edited there since an export comes in, see engram
obsidian-export.`,
		Example: examples("engram import engram-export.json", "engram import shop.json --project shop --dry-run", "engram import engram.json.gz"),
		Args:    between(1, 1),
		RunE: p.with(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if slices.Contains(vaultFormats(), format) {
				return p.importNotes(cmd, args[0], dryRun)
			}
			if format != "" {
				return invalidf("format %q is none that is named", format).WithHint("obsidian or markdown; what a file has is found out")
			}
			in := engine.ImportInput{Mode: engine.ImportMode(mode), DryRun: dryRun}
			if in.Mode != engine.ImportReplace && (yes || all) {
				return invalidf("--yes and --all-projects go with --mode replace").WithHint("run: %s --help", cmd.CommandPath())
			}
			if in.Mine = trust == "own"; trust != "" && !in.Mine {
				return invalidf("--trust %q does not exist", trust).WithHint("own: the file is an export of yours, from another machine")
			}
			if in.Mode == engine.ImportReplace && !yes {
				in.MayForget = new(int)
			}
			return p.importFile(cmd, e, args[0], in, all)
		}),
	}
	cmd.Flags().StringVar(&mode, "mode", string(engine.ImportMerge), "merge, or replace: what is not in the file is forgotten")
	cmd.Flags().StringVar(&format, "format", "", "how the notes of a folder look, a `format`: obsidian or markdown; of a file it is found out")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would come of it, and change nothing")
	cmd.Flags().StringVar(&trust, "trust", "", "own: the file is your `own` export; its memories keep their origin, and are not quoted as imported")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --mode replace: do not ask before memories are forgotten")
	cmd.Flags().BoolVar(&all, "all-projects", false, "with --mode replace: replace every project that the file is of")
	// The only error is a flag that does not exist, and it does.
	_ = cmd.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions([]string{"merge", "replace"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (p *program) importFile(cmd *cobra.Command, e *engine.Engine, name string, in engine.ImportInput, all bool) error {
	var err error
	named := p.loaded.Origins["project"].Source == config.SourceFlag
	switch {
	case named && all:
		return invalidf("--all-projects and --project exclude each other").WithHint("run: %s --help", cmd.CommandPath())
	case named:
		in.Project = p.loaded.Project
	case in.Mode == engine.ImportReplace && !all:
		if in.Only, err = p.readProject(cmd, e, false); err != nil {
			return err
		}
	}
	res, err := p.importOnce(cmd, e, name, in)
	if n := res.Memories.Gone; err != nil && n > 0 && name != "-" && isTerminal(p.Stdin) && !p.json {
		yes, asked := p.confirm(false, replaceQuestion(res))
		if asked != nil {
			return asked
		}
		if !yes {
			_, err := fmt.Fprintln(p.Stdout, "Nothing was replaced.")
			return err
		}
		in.MayForget = &n
		res, err = p.importOnce(cmd, e, name, in)
	}
	if err != nil {
		if !p.json {
			p.tellItems(res.Rejected, "wrong")
			if res.Backup != "" {
				p.warn("nothing was replaced; the backup that was made first stays: " + res.Backup)
			}
		}
		return err
	}
	if !p.json {
		p.tellItems(res.Rejected, "not imported")
		p.tellItems(res.Notes, "imported")
	}
	doc := importedDoc{document.ImportedOf(res, in.DryRun), name}
	if err := p.answer(doc, doc.write); err != nil {
		return err
	}
	if n := res.All().Rejected; n > 0 {
		none := engram.Errorf(engram.CodeInvalid, "%s of the file did not come in", count(n, "item", "items"))
		if all := res.All(); in.DryRun || all.Added+all.Changed+all.Unchanged == 0 {
			return none.WithHint("the reasons stand above")
		}
		return none.WithHint("the rest did; the reasons stand above")
	}
	return nil
}

// importOnce reads the file once.
func (p *program) importOnce(cmd *cobra.Command, e *engine.Engine, name string, in engine.ImportInput) (engine.Imported, error) {
	file, err := p.fileReader(name)
	if err != nil {
		return engine.Imported{}, err
	}
	defer file.Close()
	bar := p.progress("importing")
	defer bar.end()
	in.Progress = bar.tell
	return e.Import(cmd.Context(), file, in)
}

// replaceQuestion asks whether a replacement may forget what is not in the file.
func replaceQuestion(res engine.Imported) string {
	return fmt.Sprintf("What is not in the file would be forgotten: %s (%s). Replace?", count(res.Memories.Gone, "memory", "memories"), forgetsOf(document.ImportedOf(res, true)))
}

// forgetsOf lists how many memories of which projects are forgotten.
func forgetsOf(d document.Imported) string {
	var parts []string
	for _, f := range d.Forgets {
		name := f.Project
		if name == "" {
			name = "no project"
		}
		parts = append(parts, fmt.Sprintf("%s %d", name, f.Memories))
	}
	return strings.Join(parts, ", ")
}

// tellItems tells each item that something is to be said of, a line each.
func (p *program) tellItems(notes []engram.ImportNote, what string) {
	for _, n := range notes {
		p.warn(render.Line(fmt.Sprintf("%s %s: %s", itemName(n), what, n.Reason), 0))
	}
}

// itemName says which item a note is about: where it stands, and what it is called.
func itemName(n engram.ImportNote) string {
	if n.Name == "" {
		return n.Item
	}
	return strings.TrimSpace(n.Item + " (" + n.Name + ")")
}

// importedDoc is the answer of `import`.
type importedDoc struct {
	document.Imported
	File string `json:"file"` // as it was named; - is standard input
}

func (d importedDoc) write(b *strings.Builder) {
	from := d.File
	if from == "-" {
		from = "standard input"
	}
	would := ""
	if d.DryRun {
		would = ", if it were not for --dry-run"
	}
	fmt.Fprintf(b, "Imported from %s%s\n", from, would)
	writeTallies(b, d.Imported)
	if d.Backup != "" {
		fmt.Fprintf(b, "What was there before: %s\n", d.Backup)
	}
	if d.Op != 0 {
		fmt.Fprintf(b, "To take it back: engram undo %d\n", d.Op)
	}
}

// writeTallies writes what became of the things of each kind.
func writeTallies(b *strings.Builder, d document.Imported) {
	for _, k := range []struct {
		one, many string
		t         document.Tally
		always    bool
	}{
		{"session", "sessions", d.Sessions, true}, {"memory", "memories", d.Memories, true}, {"prompt", "prompts", d.Prompts, true},
		{"relation", "relations", d.Relations, false}, {"project", "projects", d.Projects, false}, {"erasure", "erasures", d.Erased, false},
	} {
		if k.always || k.t != (document.Tally{}) {
			fmt.Fprintf(b, "  %s\n", tallied(k.t, k.one, k.many))
		}
	}
	if len(d.Forgets) > 0 {
		fmt.Fprintf(b, "Forgotten, for it is not in the file: %s\n", forgetsOf(d))
	}
	if d.Elsewhere > 0 {
		fmt.Fprintf(b, "Passed over, for it is of other projects: %s (--all-projects)\n", count(d.Elsewhere, "item", "items"))
	}
	b.WriteString(waitLine(d.Waiting, d.Op, d.DryRun))
}

// waitLine says that memories wait for a person, and how one who knows where they come from lets
// them all be told; "" for none.
func waitLine(n int, op int64, dryRun bool) string {
	switch {
	case n == 0:
		return ""
	case dryRun:
		return fmt.Sprintf("  %s like an order to an agent, and would wait for your review\n", count(n, "memory reads", "memories read"))
	}
	return fmt.Sprintf("  %s for review: what reads like an order to an agent is told unasked only when you approve it here (engram review)\n"+
		"  When the file is your own and you know all of it: engram review approve --operation %d\n", count(n, "memory waits", "memories wait"), op)
}

// tallied is "3 memories: 2 new, 1 as before".
func tallied(t document.Tally, one, many string) string {
	n := t.Added + t.Changed + t.Unchanged + t.Rejected
	text := count(n, one, many)
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{t.Added, "new"}, {t.Changed, "changed"}, {t.Unchanged, "as before"}, {t.Rejected, "not imported"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if t.Forgotten > 0 {
		text += fmt.Sprintf("; forgotten here since, and staying so: %d", t.Forgotten)
	}
	if t.Gone > 0 {
		text += fmt.Sprintf("; not in the file, and so taken away: %d", t.Gone)
	}
	return text
}
