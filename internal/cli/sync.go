package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// syncFlags are what `sync` is told.
type syncFlags struct {
	pull, status, all, dryRun, dump bool
}

func (p *program) syncCommand() *cobra.Command {
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
		Example: examples("engram sync", "git pull && engram sync --import", "engram sync --status"),
		Args:    unknownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return p.sync(cmd, f) },
	}
	cmd.Flags().BoolVar(&f.pull, "import", false, "import changes of others")
	cmd.Flags().BoolVar(&f.status, "status", false, "only count chunks and changes not exported yet")
	cmd.Flags().BoolVar(&f.all, "all", false, "every project, not only that of this folder: all your memories go into this repository, and imports may change any of your projects")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "preview without changing anything")
	cmd.Flags().BoolVar(&f.dump, "dump", false, "print the replicated state; it is identical on replicas with the same data")
	// The only error is a flag that does not exist, and it does.
	_ = cmd.Flags().MarkHidden("dump")
	cmd.AddCommand(p.syncDeferredCommand(), p.syncAcceptCommand(), p.syncDropCommand(), p.syncKeygenCommand(), p.syncRecipientsCommand())
	return cmd
}

// sync is one run of it: the engine, the repository and the project.
type syncing struct {
	*engine.Engine
	place   app.Repository
	project string // "" is every one
	barred  error  // why nothing may be shared, for the status
}

func (p *program) sync(cmd *cobra.Command, f syncFlags) error {
	for _, pair := range [][]string{{"import", "status", "dump"}, {"all", "project"}, {"status", "dry-run"}} {
		if err := onlyOne(cmd, pair...); err != nil {
			return err
		}
	}
	s, err := p.syncing(cmd, f)
	if err != nil {
		return err
	}
	switch {
	case f.dump:
		return outputError(s.Canonical(cmd.Context(), p.Stdout, s.project))
	case f.status:
		return p.syncStatus(cmd, s)
	case f.pull:
		return p.app.Alone(cmd.Context(), func() error { return p.syncPull(cmd, s, f) })
	}
	return p.app.Alone(cmd.Context(), func() error { return p.syncPush(cmd, s, f) })
}

// syncing finds out what is to be synced with which repository. A project that is
// brought in may be new here.
func (p *program) syncing(cmd *cobra.Command, f syncFlags) (s syncing, err error) {
	if s.Engine, err = p.open(cmd); err != nil {
		return s, err
	}
	switch {
	case f.all:
	case f.pull, f.status:
		s.project, err = p.writeProject(cmd, s.Engine)
	default:
		s.project, err = p.readProject(cmd, s.Engine, false)
	}
	if err == nil {
		s.place, err = p.app.Repository(cmd.Context(), p.Dir, s.project)
	}
	if err != nil || f.all {
		return s, err
	}
	named := s.project // which may be an alias: the repository may say that one
	if err = p.canonical(cmd.Context(), &s); err != nil || f.dump {
		return s, err
	}
	err = p.app.MayShare(cmd.Context(), s.place, named, p.loaded.Project != "", !f.dryRun && !f.status)
	if f.status { // which tells what the others would say
		s.barred, err = err, nil
	}
	return s, err
}

// chunkDoc is a file in .engram/chunks.
type chunkDoc struct {
	ID       string         `json:"id"` // 8 hex digits
	By       string         `json:"created_by"`
	At       document.Stamp `json:"created_at"`
	Sessions int            `json:"sessions"`
	Memories int            `json:"memories"`
	Prompts  int            `json:"prompts"`
}

func chunkOf(b engram.Batch) chunkDoc {
	return chunkDoc{b.ID, b.By, document.Stamp(b.At), b.Sessions, b.Memories, b.Prompts}
}

func notesOf(all []engram.ImportNote) []document.ImportNote {
	return document.Each(all, func(n engram.ImportNote) document.ImportNote {
		return document.ImportNote{Item: n.Item, ID: n.Name, Reason: n.Reason}
	})
}

// chunkNotes are notes on chunks, whose IDs are where notes on items have their place.
func chunkNotes(all []engram.ImportNote) []document.ImportNote {
	return document.Each(all, func(n engram.ImportNote) document.ImportNote {
		return document.ImportNote{Item: n.Item, ID: n.Item, Reason: strings.TrimPrefix(n.Reason, "chunk "+n.Item+": ")}
	})
}

// kindCounts counts things by kind.
type kindCounts struct {
	Sessions  int `json:"sessions"`
	Memories  int `json:"memories"`
	Prompts   int `json:"prompts"`
	Relations int `json:"relations"`
	Erased    int `json:"erased"` // ids of erased records
}

// all is how many there are of every kind.
func (c kindCounts) all() int { return c.Sessions + c.Memories + c.Prompts + c.Relations + c.Erased }

// write tells the counts, a line each: the last two where there are any.
func (c kindCounts) write(b *strings.Builder) {
	fmt.Fprintf(b, "  Sessions:  %d\n  Memories:  %d\n  Prompts:   %d\n", c.Sessions, c.Memories, c.Prompts)
	if c.Relations > 0 {
		fmt.Fprintf(b, "  Relations: %d\n", c.Relations)
	}
	if c.Erased > 0 {
		fmt.Fprintf(b, "  Erased:    %d\n", c.Erased)
	}
}

// ofProject is how a sentence names the project: that of a name, or all of them.
func ofProject(name string) string {
	if name == "" {
		return "all projects"
	}
	return fmt.Sprintf("project %q", render.Plain(name))
}
