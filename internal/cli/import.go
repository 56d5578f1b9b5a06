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
	var dryRun bool
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

With --mode replace, what is not in the file is forgotten, of the project of the file or of --project, or of every one when
the file is of all of them; a backup of the database is made first where anything changes. All of it comes in or nothing
does, and engram undo takes it back. An item that is wrong is told and left out, and a replacement with one is
refused; then the exit code is 2.

With --format obsidian or markdown it is a folder of notes: what was edited there since an export comes in, see engram
obsidian-export.`,
		Example: examples("engram import engram-export.json", "engram import shop.json --project shop --dry-run", "engram import engram.json.gz"),
		Args:    between(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(vaultFormats(), format) {
				return p.importNotes(cmd, args[0], dryRun)
			}
			if format != "" {
				return invalidf("format %q is none that is named", format).WithHint("obsidian or markdown; what a file has is found out")
			}
			return p.importFile(cmd, args[0], engine.ImportInput{Mode: engine.ImportMode(mode), DryRun: dryRun})
		},
	}
	cmd.Flags().StringVar(&mode, "mode", string(engine.ImportMerge), "merge, or replace: what is not in the file is forgotten")
	cmd.Flags().StringVar(&format, "format", "", "how the notes of a folder look, a `format`: obsidian or markdown; of a file it is found out")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "say what would come of it, and change nothing")
	// The only error is a flag that does not exist, and it does.
	_ = cmd.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions([]string{"merge", "replace"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (p *program) importFile(cmd *cobra.Command, name string, in engine.ImportInput) error {
	e, err := p.open(cmd)
	if err != nil {
		return err
	}
	file, err := p.fileReader(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if p.loaded.Origins["project"].Source == config.SourceFlag {
		in.Project = p.loaded.Project
	}
	bar := p.progress("importing")
	in.Progress = bar.tell
	res, err := e.Import(cmd.Context(), file, in)
	bar.end()
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
	b.WriteString(waitLine(d.Waiting, d.Op, d.DryRun))
	if d.Backup != "" {
		fmt.Fprintf(b, "What was there before: %s\n", d.Backup)
	}
	if d.Op != 0 {
		fmt.Fprintf(b, "To take it back: engram undo %d\n", d.Op)
	}
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
