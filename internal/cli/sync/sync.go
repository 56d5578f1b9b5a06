// Package sync holds the command sync, which shares memories through the chunks of a git repository: export, import
// and their state (status.go), and the keys of encrypted chunks (sync.go).
package sync

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/cli/command"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/render"
)

type syncFlags struct {
	pull, status, all, dryRun, dump bool
}

// Command returns the command sync, with subs besides its own subcommands.
func Command(p *command.Program, subs ...*cobra.Command) *cobra.Command {
	var f syncFlags
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Share a project's memories through its git repository",
		Long: `Share a project's memories through its git repository. sync writes new changes into a file under .engram/chunks of the
repository root, for you to commit and push; sync --import imports the files of others. Anybody can run both at any time
and in any order: the files never conflict, and if two people changed the same memory, the later change wins and the other
text is kept as a revision. sync does not run git itself.

Invalid items in a chunk are reported on standard error and skipped; the rest is imported, and the exit code is 2. Items
that need a check stay pending: engram sync deferred. engram undo reverts the import of a chunk.`,
		Example: command.Examples("engram sync", "git pull && engram sync --import", "engram sync --status"),
		Args:    command.UnknownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runSync(p, cmd, f) },
	}
	cmd.Flags().BoolVar(&f.pull, "import", false, "import changes of others")
	cmd.Flags().BoolVar(&f.status, "status", false, "only count chunks and changes not exported yet")
	cmd.Flags().BoolVar(&f.all, "all", false, "every project, not only that of this folder: all your memories go into this repository, and imports may change any of your projects")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "preview without changing anything")
	cmd.Flags().BoolVar(&f.dump, "dump", false, "print the replicated state; it is identical on replicas with the same data")
	// It fails only for an unknown flag.
	_ = cmd.Flags().MarkHidden("dump")
	cmd.AddCommand(append(subs, syncKeygenCommand(p), syncRecipientsCommand(p))...)
	return cmd
}

// syncing is one run: the engine, the repository and the project.
type syncing struct {
	engine    *engine.Engine
	place     app.Repository
	project   string // "" is every project
	forbidden error  // why sharing is not allowed, for --status
}

func runSync(p *command.Program, cmd *cobra.Command, f syncFlags) error {
	for _, pair := range [][]string{{"import", "status", "dump"}, {"all", "project"}, {"status", "dry-run"}} {
		if err := command.OnlyOne(cmd, pair...); err != nil {
			return err
		}
	}
	s, err := newSyncing(p, cmd, f)
	if err != nil {
		return err
	}
	switch {
	case f.dump:
		return command.OutputError(s.engine.Canonical(cmd.Context(), p.Stdout, s.project))
	case f.status:
		return syncStatus(p, cmd, s)
	case f.pull:
		return p.App.Alone(cmd.Context(), func() error { return syncPull(p, cmd, s, f) })
	}
	return p.App.Alone(cmd.Context(), func() error { return syncPush(p, cmd, s, f) })
}

// newSyncing returns what to sync with which repository. An imported project may be new here.
func newSyncing(p *command.Program, cmd *cobra.Command, f syncFlags) (s syncing, err error) {
	if s.engine, err = p.Open(cmd); err != nil {
		return s, err
	}
	switch {
	case f.all:
	case f.pull, f.status:
		s.project, err = p.WriteProject(cmd, s.engine)
	default:
		s.project, err = p.ReadProject(cmd, s.engine, false)
	}
	if err == nil {
		s.place, err = p.App.Repository(cmd.Context(), p.Dir, s.project)
	}
	if err != nil || f.all {
		return s, err
	}
	named := s.project // possibly an alias, which the repository may name
	if err = canonical(cmd.Context(), p, &s); err != nil || f.dump {
		return s, err
	}
	err = p.App.MayShare(cmd.Context(), s.place, named, p.Loaded.Project != "", !f.dryRun && !f.status)
	if f.status { // reports what sync would return
		s.forbidden, err = err, nil
	}
	return s, err
}

// chunkDoc is a file in .engram/chunks.
type chunkDoc struct {
	ID       string             `json:"id"` // 8 hex digits
	By       string             `json:"created_by"`
	At       document.Timestamp `json:"created_at"`
	Sessions int                `json:"sessions"`
	Memories int                `json:"memories"`
	Prompts  int                `json:"prompts"`
}

func chunkOf(b engram.Batch) chunkDoc {
	return chunkDoc{b.ID, b.By, document.Timestamp(b.At), b.Sessions, b.Memories, b.Prompts}
}

// chunkNotes converts notes on chunks; their id is the chunk.
func chunkNotes(all []engram.ImportNote) []document.ImportNote {
	return document.Each(all, func(n engram.ImportNote) document.ImportNote {
		return document.ImportNote{Item: n.Item, ID: n.Item, Reason: strings.TrimPrefix(n.Reason, "chunk "+n.Item+": ")}
	})
}

// kindCounts counts records by kind.
type kindCounts struct {
	Sessions  int `json:"sessions"`
	Memories  int `json:"memories"`
	Prompts   int `json:"prompts"`
	Relations int `json:"relations"`
	Erased    int `json:"erased"` // ids of erased records
}

func (c kindCounts) all() int { return c.Sessions + c.Memories + c.Prompts + c.Relations + c.Erased }

// write writes the counts, a line each; the last two only if they are not 0.
func (c kindCounts) write(b *strings.Builder) {
	fmt.Fprintf(b, "  Sessions:  %d\n  Memories:  %d\n  Prompts:   %d\n", c.Sessions, c.Memories, c.Prompts)
	if c.Relations > 0 {
		fmt.Fprintf(b, "  Relations: %d\n", c.Relations)
	}
	if c.Erased > 0 {
		fmt.Fprintf(b, "  Erased:    %d\n", c.Erased)
	}
}

// ofProject names a project, or all of them, in a sentence.
func ofProject(name string) string {
	if name == "" {
		return "all projects"
	}
	return fmt.Sprintf("project %q", render.Plain(name))
}

// projectsSeen is a remote that collects the projects of the records read.
type projectsSeen struct {
	engram.Remote
	batches  map[string]bool // batches read
	projects map[string]bool
}

// Read implements engram.Remote.
func (s *projectsSeen) Read(ctx context.Context, id string) iter.Seq2[engram.Record, error] {
	s.batches[id] = true
	return func(yield func(engram.Record, error) bool) {
		for r, err := range s.Remote.Read(ctx, id) {
			if name := projectOfRecord(r); err == nil && name != "" {
				s.projects[name] = true
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

func projectOfRecord(r engram.Record) string {
	switch {
	case r.Session != nil:
		return r.Session.Project
	case r.Memory != nil:
		return r.Memory.Memory.Project
	case r.Prompt != nil:
		return r.Prompt.Project
	case r.Erased != nil:
		return r.Erased.Project
	}
	return ""
}

// unique returns the projects that only the batches read now mention; none if all batches were read.
func (s *projectsSeen) unique(ctx context.Context) []string {
	all, err := s.Batches(ctx)
	if err != nil || len(all) == len(s.batches) {
		return nil
	}
	left := maps.Clone(s.projects)
	for _, b := range all {
		if s.batches[b.ID] {
			continue
		}
		for r, err := range s.Remote.Read(ctx, b.ID) {
			if err != nil {
				break
			}
			if delete(left, projectOfRecord(r)); len(left) == 0 {
				return nil
			}
		}
	}
	return slices.Sorted(maps.Keys(left))
}

// canonical replaces an alias of the project by its name. A project that is named and unknown must be in a
// chunk, so that a typing error does not look like an empty answer.
func canonical(ctx context.Context, p *command.Program, s *syncing) error {
	all, err := s.engine.Projects(ctx)
	if err != nil {
		return err
	}
	for _, here := range all {
		if here.Name == s.project || slices.Contains(here.Aliases, s.project) {
			s.project = here.Name
			return nil
		}
	}
	if !p.ProjectGiven() {
		return nil
	}
	if there, err := mayHave(ctx, s.place.Remote, s.project); err != nil || there {
		return err
	}
	return engram.Errorf(engram.CodeNotFound, "project %q does not exist, and no chunk in %s contains it", s.project, s.place.Folder).
		WithHint("{projects list} lists the projects")
}

// mayHave reports whether a batch of a remote has records of a project, or cannot be read.
func mayHave(ctx context.Context, r engram.Remote, name string) (bool, error) {
	batches, err := r.Batches(ctx)
	if err != nil {
		return false, err
	}
	for _, b := range batches {
		for rec, err := range r.Read(ctx, b.ID) {
			if err != nil || project.Normalize(projectOfRecord(rec)) == name {
				return true, ctx.Err()
			}
		}
	}
	return false, nil
}

// KeyDoc is the answer of `sync keygen`.
type KeyDoc struct {
	Recipient string `json:"recipient"` // public part, for others to add
	File      string `json:"file"`      // file with the secret part, readable only by you
}

func syncKeygenCommand(p *command.Program) *cobra.Command {
	return &cobra.Command{
		Use:   "keygen",
		Short: "Create a key for encrypted chunks",
		Long: `Create a key for encrypted chunks. The secret part is written to a file in the data directory that only you can read; the
public part, the recipient, is printed for the team to add: engram sync recipients add RECIPIENT. An existing key is kept,
and its recipient is printed. Keep a copy of the file: without it, chunks encrypted to the key cannot be read.`,
		Example: command.Examples("engram sync keygen"),
		RunE: p.With(func(*cobra.Command, *engine.Engine, []string) error {
			k, err := p.App.Keygen()
			if err != nil {
				return err
			}
			if !k.New {
				p.WarnBeside("the key in " + k.File + " already exists")
			}
			return p.Answer(KeyDoc{k.Recipient, k.File}, func(b *strings.Builder) {
				fmt.Fprintf(b, "Recipient: %s\n  The secret part: %s\n", k.Recipient, k.File)
			})
		}),
	}
}

// RecipientsDoc is the answer of `sync recipients`.
type RecipientsDoc struct {
	File       string   `json:"file"`       // in the repository
	Recipients []string `json:"recipients"` // chunks are encrypted to them; empty: not encrypted
	Agreed     bool     `json:"agreed"`     // you confirmed them; otherwise sync writes nothing
	Added      []string `json:"added"`      // since your confirmation
	Removed    []string `json:"removed"`    // since your confirmation
}

func syncRecipientsCommand(p *command.Program) *cobra.Command {
	change := func(use, short, example, after string, do func(*cobra.Command, []string) (app.Recipients, error)) *cobra.Command {
		return &cobra.Command{Use: use, Short: short, Example: command.Examples(example), RunE: p.With(func(cmd *cobra.Command, _ *engine.Engine, args []string) error {
			r, err := do(cmd, args)
			if err != nil {
				return err
			}
			doc := RecipientsDoc{r.File, document.OrEmpty(r.Now), r.Agreed(), document.OrEmpty(r.Added()), document.OrEmpty(r.Removed())}
			return p.Answer(doc, func(b *strings.Builder) {
				doc.write(b)
				if after != "" && r.Sealed {
					fmt.Fprintln(b, after)
				}
			})
		})}
	}
	cmd := change("recipients", "Show or change the recipients of encrypted chunks", "engram sync recipients", "", func(cmd *cobra.Command, _ []string) (app.Recipients, error) {
		return p.App.Recipients(cmd.Context(), p.Dir)
	})
	cmd.Args = command.UnknownCommand
	cmd.Long = `Show the recipients of this repository's encrypted chunks: the age recipients in .engram/recipients.txt. Without
recipients, chunks are not encrypted. Anyone with push access can change the file, so after a change sync writes nothing
until you confirm it: engram sync recipients trust. New recipients can read only chunks written after they were added;
removed ones can still read older chunks.`
	cmd.AddCommand(
		change("add RECIPIENT…", "Add recipients", "engram sync recipients add age1…", "New recipients cannot read chunks that were encrypted earlier.", func(cmd *cobra.Command, args []string) (app.Recipients, error) {
			return p.App.ChangeRecipients(cmd.Context(), p.Dir, args, nil)
		}),
		change("remove RECIPIENT…", "Remove recipients", "engram sync recipients remove age1…", "Removed recipients can still read chunks that were encrypted earlier: they remain in the git history.", func(cmd *cobra.Command, args []string) (app.Recipients, error) {
			return p.App.ChangeRecipients(cmd.Context(), p.Dir, nil, args)
		}),
		change("trust", "Confirm the current recipients", "engram sync recipients trust", "", func(cmd *cobra.Command, _ []string) (app.Recipients, error) {
			return p.App.TrustRecipients(cmd.Context(), p.Dir)
		}))
	return cmd
}

func (d RecipientsDoc) write(b *strings.Builder) {
	if len(d.Recipients) == 0 {
		fmt.Fprintln(b, "Chunks are not encrypted.")
	} else {
		fmt.Fprintf(b, "Chunks are encrypted to %s:\n", command.Count(len(d.Recipients), "recipient", "recipients"))
		for _, r := range d.Recipients {
			fmt.Fprintf(b, "  %s\n", r)
		}
	}
	if d.Agreed {
		return
	}
	for _, r := range d.Added {
		fmt.Fprintf(b, "  added:   %s\n", r)
	}
	for _, r := range d.Removed {
		fmt.Fprintf(b, "  removed: %s\n", r)
	}
	fmt.Fprintln(b, "You have not confirmed these recipients. sync writes nothing until you do: engram sync recipients trust")
}
