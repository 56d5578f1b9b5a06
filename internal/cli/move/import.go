// Package move holds the commands that move memories between Engram and files or other programs: import and export
// (import.go), migrate, obsidian-export, and backfill, which proposes memories from transcripts and commits.
package move

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/cli/terminal"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
)

// Commands returns the commands that move memories between programs and files.
func Commands() []command.Maker {
	return []command.Maker{
		command.In(command.GroupMemory, "backfill", backfillCommand),
		command.In(command.GroupMemory, "export", exportCommand),
		command.In(command.GroupMemory, "import", importCommand),
		command.In(command.GroupMemory, "obsidian-export", obsidianCommand),
		command.In(command.GroupMemory, "migrate", migrateCommand),
	}
}

func importCommand(p *command.Program) *cobra.Command {
	var mode, format string
	var dryRun, yes, all bool
	var trust string
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Import an export file",
		Long: `Import a file written by engram export, on this machine or another, or an export of a program of the mem_* or memory_*
dialect. The format and gzip compression are detected. Importing a file again changes nothing: existing records are
recognised by their id. If a record exists in both places, the later edit wins and the other text is kept as a revision.

Without --project, existing memories stay in their project and new ones go into the project named in the file. With
--project everything goes into that project, whatever the file names; memories that exist in another project are left
alone there and imported as copies with new ids. A memory that is in another project only because of an import that was undone is moved instead.

With --mode replace, memories that are not in the file are forgotten: by default only in the project of this folder, and
the file's memories of other projects are skipped; with --project the whole file replaces that project; with
--all-projects the file replaces every project it contains. The command first shows how many memories of which projects
would be forgotten, and asks; --yes confirms, --dry-run only previews. If anything changes, a backup is made first.
Everything is imported in one transaction, and engram undo reverts it. Invalid items are listed and skipped, with exit
code 2; a replacement with an invalid item is rejected.

--trust own declares the file to be your own export from another machine: its memories keep their origin (you, or an
agent) instead of being quoted as imported, including those imported earlier. Instruction-like texts still need your
approval, and engram undo reverts it.

With --format obsidian or markdown, the argument is a folder of notes, and edits made there since the export are imported:
see engram obsidian-export.`,
		Example: command.Examples("engram import engram-export.json", "engram import shop.json --project shop --dry-run", "engram import engram.json.gz"),
		RunE: p.With(func(cmd *cobra.Command, e *engine.Engine, args []string) error {
			if slices.Contains(vaultFormats(), format) {
				return importNotes(p, cmd, args[0], dryRun)
			}
			if format != "" {
				return command.Invalidf("unknown format %q", format).WithHint("use obsidian or markdown for a folder; the format of a file is detected")
			}
			in := exchange.ImportInput{Mode: exchange.ImportMode(mode), DryRun: dryRun}
			if in.Mode != exchange.ImportReplace && (yes || all) {
				return command.Invalidf("--yes and --all-projects need --mode replace").WithHint("run: %s --help", cmd.CommandPath())
			}
			if in.Mine = trust == "own"; trust != "" && !in.Mine {
				return command.Invalidf("--trust %q does not exist", trust).WithHint("use own if the file is your own export from another machine")
			}
			if in.Mode == exchange.ImportReplace && !yes {
				in.MayForget = new(int)
			}
			return importFile(p, cmd, e, args[0], in, all)
		}),
	}
	cmd.Flags().StringVar(&mode, "mode", string(exchange.ImportMerge), "merge, or replace: forget memories that are not in the file")
	cmd.Flags().StringVar(&format, "format", "", "`format` of a folder of notes: obsidian or markdown; that of a file is detected")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "preview without changing anything")
	cmd.Flags().StringVar(&trust, "trust", "", "`own`: the file is your own export; its memories keep their origin instead of being quoted as imported")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --mode replace: skip the confirmation")
	cmd.Flags().BoolVar(&all, "all-projects", false, "with --mode replace: replace every project in the file")
	return cmd
}

func importFile(p *command.Program, cmd *cobra.Command, e *engine.Engine, name string, in exchange.ImportInput, all bool) error {
	var err error
	named := p.ProjectGiven()
	switch {
	case named && all:
		return command.Invalidf("--all-projects and --project exclude each other").WithHint("run: %s --help", cmd.CommandPath())
	case named:
		in.Project = p.Loaded.Project
	case in.Mode == exchange.ImportReplace && !all:
		if in.Only, err = p.ReadProject(cmd, e, false); err != nil {
			return err
		}
	}
	res, err := importOnce(p, cmd, e, name, in)
	if n := res.Memories.Removed; err != nil && n > 0 && name != "-" && terminal.Is(p.Stdin) && !p.JSON {
		yes, asked := p.Confirm(false, fmt.Sprintf("Memories that are not in the file would be forgotten: %s (%s). Replace?",
			command.Count(n, "memory", "memories"), forgetsOf(document.ImportedOf(res, true))))
		if asked != nil {
			return asked
		}
		if !yes {
			_, err := fmt.Fprintln(p.Stdout, "Nothing was replaced.")
			return err
		}
		in.MayForget = &n
		res, err = importOnce(p, cmd, e, name, in)
	}
	if err != nil {
		p.ReportItems(res.Rejected, "wrong")
		if res.Backup != "" {
			p.WarnBeside("nothing was replaced; the backup is kept: " + res.Backup)
		}
		return err
	}
	p.ReportItems(res.Rejected, "not imported")
	p.ReportItems(res.Notes, "imported")
	doc := ImportedDoc{document.ImportedOf(res, in.DryRun), name}
	if err := p.Answer(doc, doc.write); err != nil {
		return err
	}
	return rejected(res, in.DryRun, "%s of the file could not be imported")
}

// rejected returns the error of an import that rejected items, if it did.
func rejected(res exchange.Imported, dryRun bool, format string) error {
	all := res.All()
	if all.Rejected == 0 {
		return nil
	}
	hint := "the rest was imported; see the reasons above"
	if dryRun || all.Added+all.Changed+all.Unchanged == 0 {
		hint = "see the reasons above"
	}
	return command.Invalidf(format, command.Count(all.Rejected, "item", "items")).WithHint("%s", hint)
}

// importOnce reads and imports the file once.
func importOnce(p *command.Program, cmd *cobra.Command, e *engine.Engine, name string, in exchange.ImportInput) (exchange.Imported, error) {
	file, err := p.FileReader(name)
	if err != nil {
		return exchange.Imported{}, err
	}
	defer file.Close()
	bar := p.Progress("importing")
	defer bar.End()
	in.Progress = bar.Report
	return e.Import(cmd.Context(), file, in)
}

// forgetsOf lists how many memories of which projects are forgotten.
func forgetsOf(d document.Imported) string {
	var parts []string
	for _, f := range d.Forgets {
		parts = append(parts, fmt.Sprintf("%s %d", cmp.Or(f.Project, "no project"), f.Memories))
	}
	return strings.Join(parts, ", ")
}

// ImportedDoc is the answer of `import`.
type ImportedDoc struct {
	document.Imported
	File string `json:"file"` // as given; - is standard input
}

func (d ImportedDoc) write(b *strings.Builder) {
	from := d.File
	if from == "-" {
		from = "standard input"
	}
	fmt.Fprintf(b, "Imported from %s%s\n", from, command.Would(d.DryRun, " (dry run)", ""))
	writeTallies(b, d.Imported)
	if d.Backup != "" {
		fmt.Fprintf(b, "Backup: %s\n", d.Backup)
	}
	if d.Op != 0 {
		fmt.Fprintf(b, "To undo: engram undo %d\n", d.Op)
	}
}

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
		fmt.Fprintf(b, "Forgotten because not in the file: %s\n", forgetsOf(d))
	}
	if d.Elsewhere > 0 {
		fmt.Fprintf(b, "Skipped because of other projects: %s (--all-projects)\n", command.Count(d.Elsewhere, "item", "items"))
	}
	b.WriteString(pendingLine(d.Pending, d.Op, d.DryRun))
}

// pendingLine reports memories pending review, and how to approve an import as a whole; "" for none.
func pendingLine(n int, op int64, dryRun bool) string {
	switch {
	case n == 0:
		return ""
	case dryRun:
		return fmt.Sprintf("  %s flagged as instruction-like and would need your review\n", command.Count(n, "memory would be", "memories would be"))
	}
	return fmt.Sprintf("  %s pending review: instruction-like texts are injected only after you approve them here (engram review)\n"+
		"  If the file is your own and you know its content: engram review approve --operation %d\n", command.Count(n, "memory is", "memories are"), op)
}

// tallied returns counts such as "3 memories: 2 new, 1 unchanged".
func tallied(t document.Tally, one, many string) string {
	n := t.Added + t.Changed + t.Unchanged + t.Rejected
	text := command.Count(n, one, many)
	if parts := command.ListSome(", ", command.Some(t.Added, "new", "new"), command.Some(t.Changed, "changed", "changed"), command.Some(t.Unchanged, "unchanged", "unchanged"),
		command.Some(t.Rejected, "not imported", "not imported")); parts != "" {
		text += ": " + parts
	}
	if t.Forgotten > 0 {
		text += fmt.Sprintf("; forgotten here since, and kept forgotten: %d", t.Forgotten)
	}
	if t.Removed > 0 {
		text += fmt.Sprintf("; removed because not in the file: %d", t.Removed)
	}
	return text
}

// exportName is the default file of an export.
const exportName = "engram-export.json"

func exportCommand(p *command.Program) *cobra.Command {
	var in exchange.ExportInput
	cmd := &cobra.Command{
		Use:   "export [FILE|-]",
		Short: "Export all data to a file that import reads",
		Long: `Export everything, or one --project, to a file that engram import reads: engram-export.json by default, "-" for standard
output. A name that ends in .gz is compressed. Only you can read the file. An existing file is replaced when the new one is
complete.

The format json contains everything: memories, forgotten ones included, with their earlier versions, relations, sessions,
prompts and projects; programs of the mem_* dialect find their sessions, observations and prompts in it. The format mem
contains only those three, without Engram's own fields, and the command lists what it left out: relations, earlier
versions, tags and other fields. With --project (or one of its aliases) only that project is exported; relations to
memories of other projects are left out. The formats obsidian and markdown write a folder of notes, which import reads,
too; they differ in the style of links. See engram obsidian-export.`,
		Example: command.Examples("engram export", "engram export shop.json --project shop", "engram export engram.json.gz", "engram export notes --format markdown"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(vaultFormats(), in.Format) {
				return exportNotes(p, cmd, args, in)
			}
			if in.Vectors && in.Format != exchange.NativeFormat && in.Format != "" {
				return command.Invalidf("format %q cannot hold vectors", in.Format).WithHint("use the format json with --vectors")
			}
			if !slices.Contains([]string{"", exchange.NativeFormat, "mem"}, in.Format) {
				return command.Invalidf("unknown format %q", in.Format).WithHint("use one of json, mem, obsidian, markdown")
			}
			return export(p, cmd, command.Argument(args, 0, exportName), in)
		},
	}
	cmd.Flags().StringVar(&in.Format, "format", exchange.NativeFormat, "json contains everything and suits mem_* programs, too; mem contains only their fields; obsidian and markdown write a folder of notes")
	cmd.Flags().BoolVar(&in.AllowSecret, "allow-secret", false, "include secrets saved with --allow-secret, which are redacted otherwise")
	cmd.Flags().BoolVar(&in.Vectors, "vectors", false, "include the vectors of memories")
	return cmd
}

func export(p *command.Program, cmd *cobra.Command, name string, in exchange.ExportInput) error {
	e, err := p.OpenUnmapped(cmd)
	if err != nil {
		return err
	}
	if in.Project, err = p.ReadProject(cmd, e, !p.ProjectGiven()); err != nil {
		return err
	}
	bar := p.Progress("exporting")
	in.Progress = bar.Report
	var res exchange.Exported
	write := func(w io.Writer) (err error) {
		res, err = e.Export(cmd.Context(), w, in)
		return err
	}
	if strings.HasSuffix(strings.ToLower(name), ".gz") {
		write = packed(write)
	}
	if name == "-" {
		err = write(p.Stdout)
		if _, is := errors.AsType[*fs.PathError](err); is { // a write error of standard output
			err = command.OutputError(err)
		}
	} else {
		err = writeFile(p, name, write)
	}
	bar.End()
	if err != nil {
		return err
	}
	l := res.Left
	doc := ExportedDoc{name, res.Format, res.Project, res.Projects, res.Sessions, res.Prompts, res.Memories, res.Forgotten, res.Revisions, res.Relations, res.Erased, res.Vectors,
		left{l.Projects, l.Sessions, l.Prompts, l.Memories, l.Revisions, l.Relations, l.Erased}}
	if name != "-" {
		return p.Answer(doc, doc.write)
	}
	// Standard output contains the export.
	if p.JSON {
		return json.NewEncoder(p.Stderr).Encode(doc)
	}
	var b strings.Builder
	doc.write(&b)
	_, err = io.WriteString(p.Stderr, b.String())
	return err
}

func packed(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := write(z); err != nil {
			return err // without closing, so that the file is visibly incomplete
		}
		return z.Close()
	}
}

// writeFile writes a file that only the user can read, and replaces an existing one when the new one is
// complete. Other things than regular files, such as pipes, are written into.
func writeFile(p *command.Program, name string, write func(io.Writer) error) error {
	path := p.Path(name)
	refused := func(err error) error {
		if bad, ok := errors.AsType[*fs.PathError](err); ok {
			err = bad.Err // without the name of the temporary file
		}
		return engram.Errorf(engram.CodeUnavailable, "cannot write file %s", name).WithCause(err)
	}
	if was, err := os.Stat(path); err == nil && !was.Mode().IsRegular() {
		if was.IsDir() {
			return command.Invalidf("%s is a folder", name).WithHint("name a file in it")
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return refused(err)
		}
		return errors.Join(unwritten(name, write(f)), f.Close())
	}
	var failed error // without the name of the temporary file, which is deleted by then
	err := atomicfile.Fill(path, atomicfile.Options{Mode: 0o600}, func(w io.Writer) error {
		failed = unwritten(name, write(w))
		return failed
	})
	if failed != nil || err == nil {
		return failed
	}
	if _, unnamed := errors.AsType[*os.LinkError](err); unnamed {
		return refused(err)
	}
	return unwritten(name, err)
}

// unwritten explains file errors, such as a full disk.
func unwritten(name string, err error) error {
	bad, ok := errors.AsType[*fs.PathError](err)
	switch {
	case !ok:
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return engram.Errorf(engram.CodeUnavailable, "cannot write file %s: the disk is full", name).
			WithHint("free some space, or use another disk; a name that ends in .gz compresses the file").WithCause(bad.Err)
	case errors.Is(err, syscall.EFBIG):
		return engram.Errorf(engram.CodeUnavailable, "cannot write file %s: it exceeds the file size limit", name).
			WithHint("raise the limit (ulimit -f), or compress it with a name that ends in .gz").WithCause(bad.Err)
	}
	return engram.Errorf(engram.CodeUnavailable, "cannot write file %s", name).WithCause(bad.Err)
}

// ExportedDoc is the answer of `export`.
type ExportedDoc struct {
	File      string `json:"file"`     // as given; - is standard output
	Format    string `json:"format"`   // json or mem
	Project   string `json:"project"`  // "" is every project
	Projects  int    `json:"projects"` // number written, as in the following fields
	Sessions  int    `json:"sessions"`
	Prompts   int    `json:"prompts"`   // including deleted ones
	Memories  int    `json:"memories"`  // including forgotten ones
	Forgotten int    `json:"forgotten"` // forgotten memories
	Revisions int    `json:"revisions"` // earlier texts of memories
	Relations int    `json:"relations"` // including removed ones
	Erased    int    `json:"erased"`    // ids of erased records
	Vectors   int    `json:"vectors"`   // 0 without --vectors
	Left      left   `json:"left_out"`  // omitted because the format cannot hold it
}

// left counts what a format cannot hold.
type left struct {
	Projects  int `json:"projects"`
	Sessions  int `json:"sessions"` // deleted ones
	Prompts   int `json:"prompts"`  // deleted ones
	Memories  int `json:"memories"` // memories exported without their tags, metadata or versions
	Revisions int `json:"revisions"`
	Relations int `json:"relations"`
	Erased    int `json:"erased"`
}

func (d ExportedDoc) write(b *strings.Builder) {
	where := d.File
	if where == "-" {
		where = "standard output"
	}
	fmt.Fprintf(b, "Exported to %s\n", where)
	fmt.Fprintf(b, "  %s\n  %s", command.Count(d.Sessions, "session", "sessions"), command.Count(d.Memories, "memory", "memories"))
	if d.Forgotten > 0 {
		fmt.Fprintf(b, ", %d of them forgotten", d.Forgotten)
	}
	fmt.Fprintf(b, "\n  %s\n", command.Count(d.Prompts, "prompt", "prompts"))
	if d.Relations > 0 {
		fmt.Fprintf(b, "  %s\n", command.Count(d.Relations, "relation", "relations"))
	}
	if text := d.Left.String(); text != "" {
		fmt.Fprintf(b, "Left out because the format %s cannot hold it: %s\n", d.Format, text)
	}
}

// String lists the counts that are not zero.
func (l left) String() string {
	return command.ListSome(", ",
		command.Some(l.Relations, "relation", "relations"), command.Some(l.Revisions, "older text of memories", "older texts of memories"),
		command.Some(l.Memories, "memory without its tags, metadata or versions", "memories without their tags, metadata or versions"),
		command.Some(l.Prompts, "deleted prompt", "deleted prompts"), command.Some(l.Sessions, "deleted session", "deleted sessions"),
		command.Some(l.Projects, "project with its settings", "projects with their settings"), command.Some(l.Erased, "id of an erased record", "ids of erased records"))
}
