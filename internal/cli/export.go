package cli

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/atomicfile"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// exportName is the file of an export that names none.
const exportName = "engram-export.json"

func (p *program) exportCommand() *cobra.Command {
	var in engine.ExportInput
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
		Example: examples("engram export", "engram export shop.json --project shop", "engram export engram.json.gz", "engram export notes --format markdown"),
		Args:    between(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(vaultFormats(), in.Format) {
				return p.exportNotes(cmd, args, in)
			}
			if in.Vectors && in.Format != engine.NativeFormat && in.Format != "" {
				return invalidf("format %q cannot hold vectors", in.Format).WithHint("use the format json with --vectors")
			}
			if !slices.Contains([]string{"", engine.NativeFormat, "mem"}, in.Format) {
				return invalidf("format %q does not exist", in.Format).WithHint("use one of json, mem, obsidian, markdown")
			}
			name := exportName
			if len(args) == 1 {
				name = args[0]
			}
			return p.export(cmd, name, in)
		},
	}
	cmd.Flags().StringVar(&in.Format, "format", engine.NativeFormat, "json contains everything and suits mem_* programs, too; mem contains only their fields; obsidian and markdown write a folder of notes")
	cmd.Flags().BoolVar(&in.AllowSecret, "allow-secret", false, "include secrets saved with --allow-secret, which are redacted otherwise")
	cmd.Flags().BoolVar(&in.Vectors, "vectors", false, "include the vectors of memories")
	// The only error is a flag that does not exist, and it does.
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"json", "mem", "obsidian", "markdown"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (p *program) export(cmd *cobra.Command, name string, in engine.ExportInput) error {
	e, err := p.openDoubted(cmd)
	if err != nil {
		return err
	}
	if in.Project, err = p.readProject(cmd, e, p.loaded.Origins["project"].Source != config.SourceFlag); err != nil {
		return err
	}
	bar := p.progress("exporting")
	in.Progress = bar.tell
	var res engine.Exported
	write := func(w io.Writer) (err error) {
		res, err = e.Export(cmd.Context(), w, in)
		return err
	}
	if strings.HasSuffix(strings.ToLower(name), ".gz") {
		write = packed(write)
	}
	if name == "-" {
		if err = write(p.Stdout); isPathError(err) {
			err = outputError(err)
		}
	} else {
		err = p.writeFile(name, write)
	}
	bar.end()
	if err != nil {
		return err
	}
	doc := exportedOf(res, name)
	if name != "-" {
		return p.answer(doc, doc.write)
	}
	// Standard output has the file.
	if p.json {
		return json.NewEncoder(p.Stderr).Encode(doc)
	}
	var b strings.Builder
	doc.write(&b)
	_, err = io.WriteString(p.Stderr, b.String())
	return err
}

// packed is write through gzip.
func packed(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := write(z); err != nil {
			return err // without an end, so that nobody takes it for whole
		}
		return z.Close()
	}
}

// writeFile writes a file that only the user can read, beside the one whose place it takes
// when it is whole. What is no regular file, such as a pipe, is written into.
func (p *program) writeFile(name string, write func(io.Writer) error) error {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.Dir, path)
	}
	refused := func(err error) error {
		if bad, ok := errors.AsType[*fs.PathError](err); ok {
			err = bad.Err // without the name of a file that nobody named
		}
		return engram.Errorf(engram.CodeUnavailable, "file %s cannot be written", name).WithCause(err)
	}
	if was, err := os.Stat(path); err == nil && !was.Mode().IsRegular() {
		if was.IsDir() {
			return invalidf("%s is a folder", name).WithHint("name a file in it")
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return refused(err)
		}
		return errors.Join(unwritten(name, write(f)), f.Close())
	}
	var failed error // whoever waits is not told the name of a file that is gone by then
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

// isPathError reports whether an error is that of a file, such as standard output, and not of
// what was to be written.
func isPathError(err error) bool {
	_, is := errors.AsType[*fs.PathError](err)
	return is
}

// unwritten is err, when it is that of a file that cannot take more, in words for a person.
func unwritten(name string, err error) error {
	bad, ok := errors.AsType[*fs.PathError](err)
	switch {
	case !ok:
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return engram.Errorf(engram.CodeUnavailable, "file %s cannot be written: the disk is full", name).
			WithHint("free some space, or use another disk; a name that ends in .gz compresses the file").WithCause(bad.Err)
	case errors.Is(err, syscall.EFBIG):
		return engram.Errorf(engram.CodeUnavailable, "file %s cannot be written: it exceeds the file size limit", name).
			WithHint("raise the limit (ulimit -f), or compress it with a name that ends in .gz").WithCause(bad.Err)
	}
	return engram.Errorf(engram.CodeUnavailable, "file %s cannot be written", name).WithCause(bad.Err)
}

// exportedDoc is the answer of `export`.
type exportedDoc struct {
	File      string `json:"file"`     // as it was named; - is standard output
	Format    string `json:"format"`   // json or mem
	Project   string `json:"project"`  // "" is every one
	Projects  int    `json:"projects"` // how many were written, as in all that follows
	Sessions  int    `json:"sessions"`
	Prompts   int    `json:"prompts"`   // deleted ones too
	Memories  int    `json:"memories"`  // forgotten ones too
	Forgotten int    `json:"forgotten"` // of the memories
	Revisions int    `json:"revisions"` // what memories said before
	Relations int    `json:"relations"` // removed ones too
	Erased    int    `json:"erased"`    // ids of erased records
	Vectors   int    `json:"vectors"`   // 0 without --vectors
	Left      left   `json:"left_out"`  // what the format has no room for
}

// left counts what a format has no room for.
type left struct {
	Projects  int `json:"projects"`
	Sessions  int `json:"sessions"` // deleted ones
	Prompts   int `json:"prompts"`  // deleted ones
	Memories  int `json:"memories"` // these are there, but not all of them: without tags, or without versions
	Revisions int `json:"revisions"`
	Relations int `json:"relations"`
	Erased    int `json:"erased"`
}

func exportedOf(x engine.Exported, file string) exportedDoc {
	l := x.Left
	return exportedDoc{file, x.Format, x.Project, x.Projects, x.Sessions, x.Prompts, x.Memories, x.Forgotten, x.Revisions, x.Relations, x.Erased, x.Vectors,
		left{l.Projects, l.Sessions, l.Prompts, l.Memories, l.Revisions, l.Relations, l.Erased}}
}

func (d exportedDoc) write(b *strings.Builder) {
	where := d.File
	if where == "-" {
		where = "standard output"
	}
	fmt.Fprintf(b, "Exported to %s\n", where)
	fmt.Fprintf(b, "  %s\n  %s", count(d.Sessions, "session", "sessions"), count(d.Memories, "memory", "memories"))
	if d.Forgotten > 0 {
		fmt.Fprintf(b, ", %d of them forgotten", d.Forgotten)
	}
	fmt.Fprintf(b, "\n  %s\n", count(d.Prompts, "prompt", "prompts"))
	if d.Relations > 0 {
		fmt.Fprintf(b, "  %s\n", count(d.Relations, "relation", "relations"))
	}
	if text := d.Left.String(); text != "" {
		fmt.Fprintf(b, "Left out because the format %s cannot hold it: %s\n", d.Format, text)
	}
}

// String lists what there is of it; "" when that is nothing.
func (l left) String() string {
	var parts []string
	for _, k := range []struct {
		n         int
		one, many string
	}{
		{l.Relations, "relation", "relations"}, {l.Revisions, "older text of memories", "older texts of memories"},
		{l.Memories, "memory without its tags, metadata or versions", "memories without their tags, metadata or versions"},
		{l.Prompts, "deleted prompt", "deleted prompts"}, {l.Sessions, "deleted session", "deleted sessions"},
		{l.Projects, "project with its settings", "projects with their settings"}, {l.Erased, "id of an erased record", "ids of erased records"},
	} {
		if k.n > 0 {
			parts = append(parts, count(k.n, k.one, k.many))
		}
	}
	return strings.Join(parts, ", ")
}
